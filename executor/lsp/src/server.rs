//! The thread that owns all state: it takes messages, results of the engine and due times one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit, LogMessage,
    Notification as _, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    CodeLensRefresh, CodeLensRequest, ExecuteCommand, HoverRequest, Initialize, InlayHintRefreshRequest,
    InlayHintRequest, Request as _, Shutdown,
};
use lsp_types::{
    CancelParams, CodeLensParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, ExecuteCommandParams, HoverParams, InitializeParams, InitializeResult, InlayHintParams,
    LogMessageParams, MessageType, NumberOrString, ServerInfo, ShowMessageParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use surmise_serve::{CompareRequest, Compared, Failure, Old, Ran, RunRequest, Stop, Warm};

use super::client::Client;
use super::document::{Analysis, Document, Job, Question};
use super::error::ServeError;
use super::{diagnostics, hints, hover, lenses};

/// The state of the server.
pub(crate) struct Server {
    connection: Connection,
    client: Client,
    warm: Warm,
    documents: BTreeMap<String, Document>,
    results: (Sender<Finished>, Receiver<Finished>),
    /// Jobs and questions to the client so far.
    tickets: u64,
    /// Problems that the user was shown.
    shown: BTreeSet<String>,
    is_shut_down: bool,
}

/// A job has ended.
struct Finished {
    uri: String,
    ticket: u64,
    outcome: Outcome,
}

/// What a job came to.
enum Outcome {
    Ran(Box<Result<Ran, Failure>>),
    Compared(Result<Compared, Failure>),
}

/// What a message asks the loop to do.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    End,
}

impl Server {
    /// Answers the client's first request.
    pub(crate) fn new(connection: Connection, warm: Warm) -> Result<Self, ServeError> {
        let mut server = Self {
            connection,
            client: Client::default(),
            warm,
            documents: BTreeMap::new(),
            results: unbounded(),
            tickets: 0,
            shown: BTreeSet::new(),
            is_shut_down: false,
        };
        while let Ok(message) = server.connection.receiver.recv() {
            match message {
                Message::Request(request) if request.method == Initialize::METHOD => {
                    let params: InitializeParams = serde_json::from_value(request.params)
                        .map_err(|error| ServeError::Protocol(format!("`initialize`: {error}")))?;
                    server.client = Client::new(params);
                    let result = InitializeResult {
                        capabilities: server.client.server_capabilities(),
                        server_info: Some(ServerInfo {
                            name: "surmise".to_owned(),
                            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                        }),
                    };
                    server.respond(request.id, &result);
                    break;
                }
                Message::Request(Request { id, method, .. }) => {
                    let problem = format!("`{method}` came before `initialize`");
                    server.refuse(id, ErrorCode::ServerNotInitialized, problem);
                }
                Message::Notification(notification) if notification.method == Exit::METHOD => break,
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
        Ok(server)
    }

    /// Serves the client until it ends. True if it shut the server down first.
    pub(crate) fn run(mut self) -> bool {
        if let Some(problem) = self.client.problem.take() {
            self.show(MessageType::WARNING, &problem);
        }
        loop {
            let due = self.documents.values().filter_map(|document| document.due).min();
            let timer = due.map_or_else(never, at);
            let (messages, results) = (self.connection.receiver.clone(), self.results.1.clone());
            select! {
                recv(messages) -> message => {
                    let Ok(message) = message else { break };
                    if self.take(message) == Next::End {
                        break;
                    }
                }
                recv(results) -> finished => {
                    if let Ok(finished) = finished {
                        self.finish(finished);
                    }
                }
                recv(timer) -> _ => self.begin_due(),
            }
        }
        self.documents.values_mut().for_each(Document::stop);
        self.is_shut_down
    }

    fn take(&mut self, message: Message) -> Next {
        match message {
            Message::Request(request) => self.take_request(request),
            Message::Notification(notification) if notification.method == Exit::METHOD => return Next::End,
            Message::Notification(notification) => self.take_notification(notification),
            // Of what we ask the client for, nothing depends on the answer.
            Message::Response(_) => {}
        }
        Next::GoOn
    }

    fn take_request(&mut self, Request { id, method, params }: Request) {
        if self.is_shut_down {
            return self.refuse(id, ErrorCode::InvalidRequest, "the server was shut down".to_owned());
        }
        match method.as_str() {
            Shutdown::METHOD => {
                self.is_shut_down = true;
                self.documents.values_mut().for_each(Document::stop);
                self.respond(id, &());
            }
            InlayHintRequest::METHOD => {
                if let Some(params) = self.parsed::<InlayHintParams>(&id, params) {
                    self.ask(id, &params.text_document.uri, Question::Hints(params.range));
                }
            }
            CodeLensRequest::METHOD => {
                if let Some(params) = self.parsed::<CodeLensParams>(&id, params) {
                    self.ask(id, &params.text_document.uri, Question::Lenses);
                }
            }
            HoverRequest::METHOD => {
                if let Some(params) = self.parsed::<HoverParams>(&id, params) {
                    let place = params.text_document_position_params;
                    self.ask(id, &place.text_document.uri, Question::Hover(place.position));
                }
            }
            ExecuteCommand::METHOD => {
                if let Some(params) = self.parsed::<ExecuteCommandParams>(&id, params) {
                    self.execute(id, &params);
                }
            }
            _ => self.refuse(id, ErrorCode::MethodNotFound, format!("`{method}` is not supported")),
        }
    }

    fn take_notification(&mut self, Notification { method, params }: Notification) {
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(params) = self.heard::<DidOpenTextDocumentParams>(&method, params) {
                    let opened = params.text_document;
                    // Editors with several languages in a window may send others, too.
                    if opened.language_id == "python" {
                        let key = opened.uri.as_str().to_owned();
                        let document = Document::new(opened.uri, opened.text, opened.version);
                        self.documents.insert(key.clone(), document);
                        self.schedule(&key, Duration::ZERO, true);
                    }
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = self.heard::<DidChangeTextDocumentParams>(&method, params) {
                    self.change(params);
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Some(params) = self.heard::<DidSaveTextDocumentParams>(&method, params) {
                    self.schedule(params.text_document.uri.as_str(), Duration::ZERO, true);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(params) = self.heard::<DidCloseTextDocumentParams>(&method, params) {
                    self.close(params.text_document.uri.as_str());
                }
            }
            Cancel::METHOD => {
                if let Some(params) = self.heard::<CancelParams>(&method, params) {
                    self.cancel(params.id);
                }
            }
            _ => {}
        }
    }

    /// Takes a new text. It is run once it is left alone, unless it is large.
    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return };
        // Changes are those of whole texts: the capabilities ask for it.
        let Some(change) = params.content_changes.into_iter().next_back() else { return };
        document.text = change.text.into();
        document.version = params.text_document.version;
        document.stop();
        document.due = None;
        let is_large = document.text.lines().count() >= self.client.options.large_file;
        let waiting = std::mem::take(&mut document.waiting);
        if !is_large {
            let compares = document.compares;
            self.schedule(uri.as_str(), Duration::from_millis(self.client.options.debounce), compares);
        }
        for (id, _) in waiting {
            self.refuse(id, ErrorCode::ContentModified, "the text has changed".to_owned());
        }
    }

    fn schedule(&mut self, uri: &str, delay: Duration, compares: bool) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.stop();
            document.due = Some(Instant::now() + delay);
            document.compares = compares && self.client.options.compare_with_head && document.path.is_some();
        }
    }

    fn close(&mut self, uri: &str) {
        let Some(mut document) = self.documents.remove(uri) else { return };
        document.stop();
        document.analysis = None;
        for (id, _) in std::mem::take(&mut document.waiting) {
            self.refuse(id, ErrorCode::ContentModified, "the file was closed".to_owned());
        }
        self.notify::<PublishDiagnostics>(&diagnostics::published(&document, self.client.encoding));
    }

    /// Answers a request that waits with the error that the protocol has for it.
    fn cancel(&mut self, id: NumberOrString) {
        let id = match id {
            NumberOrString::Number(number) => RequestId::from(number),
            NumberOrString::String(text) => RequestId::from(text),
        };
        let mut was_waiting = false;
        for document in self.documents.values_mut() {
            let before = document.waiting.len();
            document.waiting.retain(|(waiting, _)| *waiting != id);
            was_waiting |= document.waiting.len() < before;
        }
        if was_waiting {
            self.refuse(id, ErrorCode::RequestCanceled, "cancelled by the client".to_owned());
        }
    }

    /// Answers a question, at once or when the runs of the text are over.
    fn ask(&mut self, id: RequestId, uri: &Uri, question: Question) {
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return self.respond(id, &Value::Null) };
        // Who points at something wants to see what is known, be it of an older text.
        let waits = document.is_pending() && !(document.analysis.is_some() && matches!(question, Question::Hover(_)));
        if waits {
            document.waiting.push((id, question));
        } else {
            self.answer(id, uri.as_str(), &question);
        }
    }

    fn answer(&self, id: RequestId, uri: &str, question: &Question) {
        let Some(document) = self.documents.get(uri) else { return self.respond(id, &Value::Null) };
        let encoding = self.client.encoding;
        match question {
            Question::Hints(range) => self.respond(id, &hints::of(document, *range, encoding)),
            Question::Lenses => self.respond(id, &lenses::of(document, encoding)),
            Question::Hover(position) => self.respond(id, &hover::of(document, *position, encoding)),
        }
    }

    fn execute(&mut self, id: RequestId, params: &ExecuteCommandParams) {
        let Some(uri) = lenses::argument(&params.arguments) else {
            let problem = format!("`{}` takes the URI of a file", params.command);
            return self.refuse(id, ErrorCode::InvalidParams, problem);
        };
        match params.command.as_str() {
            lenses::RUN => {
                self.schedule(uri.as_str(), Duration::ZERO, true);
                self.respond(id, &Value::Null);
            }
            lenses::SHOW_DIFFERENCE => {
                let name = params.arguments.get(1).and_then(Value::as_str).unwrap_or_default();
                let document = self.documents.get(uri.as_str());
                let text = document.and_then(|document| lenses::shown_difference(document, name));
                if let Some(text) = text {
                    let message = ShowMessageParams { typ: MessageType::INFO, message: text };
                    self.notify::<ShowMessage>(&message);
                }
                self.respond(id, &Value::Null);
            }
            other => self.refuse(id, ErrorCode::InvalidParams, format!("there is no command `{other}`")),
        }
    }

    /// Hands the engine the files whose time has come.
    fn begin_due(&mut self) {
        let now = Instant::now();
        for (key, document) in &mut self.documents {
            if document.due.is_none_or(|due| due > now) {
                continue;
            }
            document.due = None;
            document.stop();
            self.tickets += 1;
            let (ticket, stop) = (self.tickets, Stop::default());
            document.job = Some(Job { ticket, stop: stop.clone() });
            let request = RunRequest {
                code: document.code(),
                function: None,
                stdin: String::new(),
                limits: self.client.options.limits(),
            };
            let (results, uri) = (self.results.0.clone(), key.clone());
            self.warm.submit(
                stop,
                move |engine, stop| engine.run(&request, stop),
                move |ran| {
                    let outcome = Outcome::Ran(Box::new(ran));
                    let _server_is_gone = results.send(Finished { uri, ticket, outcome });
                },
            );
        }
    }

    /// Takes the result of a job, unless the text has changed since.
    fn finish(&mut self, Finished { uri, ticket, outcome }: Finished) {
        let Some(document) = self.documents.get_mut(&uri) else { return };
        let slot = match outcome {
            Outcome::Ran(_) => &mut document.job,
            Outcome::Compared(_) => &mut document.comparing,
        };
        if slot.as_ref().is_none_or(|job| job.ticket != ticket) {
            return;
        }
        let job = slot.take();
        match outcome {
            Outcome::Ran(ran) => {
                let (warnings, problem) = match *ran {
                    Ok(ran) => {
                        document.analysis = Some(Analysis::new(ran.report));
                        document.compared = None;
                        (ran.warnings, None)
                    }
                    Err(failure) => {
                        document.analysis = None;
                        (Vec::new(), Some(failure).filter(|failure| !failure.is_cancelled()))
                    }
                };
                let compares = document.compares && problem.is_none();
                self.notify_of(&uri, &warnings, problem);
                if let Some(job) = job.filter(|_| compares) {
                    self.begin_comparison(&uri, job);
                }
                self.answer_waiting(&uri);
            }
            Outcome::Compared(compared) => {
                match compared {
                    Ok(compared) => document.compared = Some(compared),
                    // A file that is in no repository differs from nothing.
                    Err(failure) => self.log(MessageType::LOG, &failure.to_string()),
                }
                self.refresh();
            }
        }
    }

    /// Publishes what the runs of a file came to.
    fn notify_of(&mut self, uri: &str, warnings: &[String], problem: Option<Failure>) {
        for warning in warnings {
            self.log(MessageType::WARNING, warning);
        }
        if let Some(problem) = problem {
            self.show(MessageType::ERROR, &format!("Surmise: {problem}"));
        }
        if let Some(document) = self.documents.get(uri) {
            self.notify::<PublishDiagnostics>(&diagnostics::published(document, self.client.encoding));
        }
    }

    fn answer_waiting(&mut self, uri: &str) {
        let waiting = self.documents.get_mut(uri).map(|document| std::mem::take(&mut document.waiting));
        for (id, question) in waiting.unwrap_or_default() {
            self.answer(id, uri, &question);
        }
        self.refresh();
    }

    /// Compares the functions of a file with those of the last commit. Nothing waits for it.
    fn begin_comparison(&mut self, uri: &str, job: Job) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.compares = false;
        let request = CompareRequest {
            old: Old::Head,
            new: document.code(),
            function: None,
            limits: self.client.options.limits(),
        };
        let (results, uri, ticket) = (self.results.0.clone(), uri.to_owned(), job.ticket);
        let stop = job.stop.clone();
        document.comparing = Some(job);
        self.warm.submit(
            stop,
            move |engine, stop| engine.compare(&request, stop),
            move |compared| {
                let outcome = Outcome::Compared(compared);
                let _server_is_gone = results.send(Finished { uri, ticket, outcome });
            },
        );
    }

    /// Lets the client ask again for what is shown in the text.
    fn refresh(&mut self) {
        if self.client.refreshes_hints && self.client.options.inlay_hints {
            self.request::<InlayHintRefreshRequest>();
        }
        if self.client.refreshes_lenses && self.client.options.code_lenses {
            self.request::<CodeLensRefresh>();
        }
    }

    /// The parameters of a request, which is refused if it has none that fit.
    fn parsed<T: DeserializeOwned>(&self, id: &RequestId, params: Value) -> Option<T> {
        let parsed = serde_json::from_value(params);
        parsed.map_err(|error| self.refuse(id.clone(), ErrorCode::InvalidParams, error.to_string())).ok()
    }

    /// The parameters of a notification, to which there is no answer.
    fn heard<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        let parsed = serde_json::from_value(params);
        parsed.map_err(|error| self.log(MessageType::WARNING, &format!("`{method}` is passed over: {error}"))).ok()
    }

    fn respond(&self, id: RequestId, result: &impl Serialize) {
        self.send(Response::new_ok(id, result));
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: String) {
        self.send(Response::new_err(id, code as i32, message));
    }

    fn notify<N: lsp_types::notification::Notification>(&self, params: &N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn request<R: lsp_types::request::Request>(&mut self) {
        self.tickets += 1;
        let id = RequestId::from(format!("surmise-{}", self.tickets));
        self.send(Request { id, method: R::METHOD.to_owned(), params: Value::Null });
    }

    fn log(&self, typ: MessageType, message: &str) {
        self.notify::<LogMessage>(&LogMessageParams { typ, message: message.to_owned() });
    }

    /// Shows the user a problem, once.
    fn show(&mut self, typ: MessageType, message: &str) {
        if self.shown.insert(message.to_owned()) {
            self.notify::<ShowMessage>(&ShowMessageParams { typ, message: message.to_owned() });
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone ends the loop by the end of its input.
        let _is_gone = self.connection.sender.send(message.into());
    }
}
