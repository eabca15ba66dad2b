//! Messages of the client as what they say, and messages to it.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{LogMessage, ShowMessage};
use lsp_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use lsp_types::{LogMessageParams, MessageType, ShowMessageParams};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Server;

impl Server {
    /// Lets the client ask again for what is shown in the text.
    pub(super) fn refresh(&mut self) {
        if self.client.refreshes_hints && self.client.options.inlay_hints {
            self.request::<InlayHintRefreshRequest>();
        }
        if self.client.refreshes_lenses && self.client.options.code_lenses {
            self.request::<CodeLensRefresh>();
        }
    }

    /// The parameters of a request, which is refused if it has none that fit.
    pub(super) fn parsed<T: DeserializeOwned>(&self, id: &RequestId, params: Value) -> Option<T> {
        let parsed = serde_json::from_value(params);
        parsed.map_err(|error| self.refuse(id.clone(), ErrorCode::InvalidParams, error.to_string())).ok()
    }

    /// The parameters of a notification, to which there is no answer.
    pub(super) fn heard<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        let parsed = serde_json::from_value(params);
        parsed.map_err(|error| self.log(MessageType::WARNING, &format!("`{method}` is passed over: {error}"))).ok()
    }

    pub(super) fn respond(&self, id: RequestId, result: &impl Serialize) {
        self.send(Response::new_ok(id, result));
    }

    pub(super) fn refuse(&self, id: RequestId, code: ErrorCode, message: String) {
        self.send(Response::new_err(id, code as i32, message));
    }

    pub(super) fn notify<N: lsp_types::notification::Notification>(&self, params: &N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    pub(super) fn request<R: lsp_types::request::Request>(&mut self) {
        self.tickets += 1;
        let id = RequestId::from(format!("surmise-{}", self.tickets));
        self.send(Request { id, method: R::METHOD.to_owned(), params: Value::Null });
    }

    pub(super) fn log(&self, typ: MessageType, message: &str) {
        self.notify::<LogMessage>(&LogMessageParams { typ, message: message.to_owned() });
    }

    /// Shows the user a problem, once.
    pub(super) fn show(&mut self, typ: MessageType, message: &str) {
        if self.shown.insert(message.to_owned()) {
            self.notify::<ShowMessage>(&ShowMessageParams { typ, message: message.to_owned() });
        }
    }

    pub(super) fn send(&self, message: impl Into<Message>) {
        // A client that is gone ends the loop by the end of its input.
        let _is_gone = self.connection.sender.send(message.into());
    }
}
