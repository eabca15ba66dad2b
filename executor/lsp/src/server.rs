//! The thread that owns all state: it takes messages, results of the engine and due times one after the other.

mod jobs;
mod messages;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit,
    Notification as _, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    CodeLensRequest, ExecuteCommand, HoverRequest, Initialize, InlayHintRequest, Request as _, Shutdown,
};
use lsp_types::{
    CancelParams, CodeLensParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, ExecuteCommandParams, HoverParams, InitializeParams, InitializeResult, InlayHintParams,
    MessageType, NumberOrString, ServerInfo, ShowMessageParams, Uri,
};
use serde_json::Value;
use surmise_serve::{Compared, Failure, Ran, Warm};

use super::client::Client;
use super::document::{Document, Question};
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
}
