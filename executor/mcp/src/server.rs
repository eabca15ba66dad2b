//! The server: its tools, each a job of the warm engine.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{Json, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use surmise_serve::{Engine, Failure, Stop, Warm};
use tokio::sync::oneshot;

use super::answers::RunAnswer;
use super::comparison::CompareAnswer;
use super::explanation::ExplainAnswer;
use super::inputs::{CompareVersions, ExplainError, RunFunction, RunSnippet};

const INSTRUCTIONS: &str = "\
Surmise runs Python that cannot be run as it is: names, imports, files and arguments may be missing. A model predicts \
values for what is missing, code runs many times under different ones, in a sandbox without network and without writing \
to disk. A `certain` error happens whatever the missing values are; a `conditional` one depends on those that are named. \
Use run_snippet for code you were given or wrote, run_function for a function of a file, compare_versions after a change, \
explain_error to learn where an error comes from.";

/// The server of one client.
#[derive(Clone)]
pub struct Server {
    warm: Arc<Warm>,
    tool_router: ToolRouter<Self>,
}

/// Asks to stop when the one who waits is gone.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.ask();
    }
}

#[tool_router(router = tool_router)]
impl Server {
    /// A server whose tools use this engine.
    #[must_use]
    pub fn new(warm: Warm) -> Self {
        Self { warm: Arc::new(warm), tool_router: Self::tool_router() }
    }

    /// Run a Python snippet, although names, imports or files that it needs are missing. Returns errors with verdicts,
    /// the lines that were reached, the values that were injected, and the output.
    #[tool(
        title = "Run a snippet",
        annotations(read_only_hint = true, destructive_hint = false, open_world_hint = false)
    )]
    async fn run_snippet(
        &self,
        Parameters(input): Parameters<RunSnippet>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<RunAnswer>, String> {
        let request = input.request().map_err(said)?;
        self.ask(&context, move |engine, stop| Ok(RunAnswer::new(&engine.run(&request, stop)?))).await
    }

    /// Run one function of a Python file with predicted arguments, in its module where that can be imported.
    #[tool(
        title = "Run a function of a file",
        annotations(read_only_hint = true, destructive_hint = false, open_world_hint = false)
    )]
    async fn run_function(
        &self,
        Parameters(input): Parameters<RunFunction>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<RunAnswer>, String> {
        let request = input.request().map_err(said)?;
        self.ask(&context, move |engine, stop| Ok(RunAnswer::new(&engine.run(&request, stop)?))).await
    }

    /// Find out whether a change alters behaviour: runs the functions of two versions under the same values. The old
    /// version may be a text, or the file as the last commit has it.
    #[tool(
        title = "Compare two versions",
        annotations(read_only_hint = true, destructive_hint = false, open_world_hint = false)
    )]
    async fn compare_versions(
        &self,
        Parameters(input): Parameters<CompareVersions>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<CompareAnswer>, String> {
        let request = input.request().map_err(said)?;
        self.ask(&context, move |engine, stop| Ok(CompareAnswer::new(&engine.compare(&request, stop)?))).await
    }

    /// Explain the errors of Python code from its runs: what raised them, in how many runs, which injected values they
    /// depend on, and which values lead elsewhere.
    #[tool(
        title = "Explain an error",
        annotations(read_only_hint = true, destructive_hint = false, open_world_hint = false)
    )]
    async fn explain_error(
        &self,
        Parameters(input): Parameters<ExplainError>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<ExplainAnswer>, String> {
        let line = input.line;
        let request = input.request().map_err(said)?;
        self.ask(&context, move |engine, stop| Ok(ExplainAnswer::new(&engine.run(&request, stop)?, line))).await
    }

    /// Has the engine answer a call; stops it when the call is cancelled or its client is gone.
    async fn ask<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut dyn Engine, &Stop) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Json<T>, String> {
        let (answer, answered) = oneshot::channel();
        let waiting = StopOnDrop(Stop::default());
        self.warm.submit(waiting.0.clone(), work, move |result| {
            let _nobody_waits = answer.send(result);
        });
        let result = tokio::select! {
            result = answered => result.unwrap_or_else(|_| Err(Failure::internal("the engine is gone"))),
            () = context.ct.cancelled() => Err(Failure::cancelled()),
        };
        result.map(Json).map_err(said)
    }
}

/// A failure as the text of a tool's error.
#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn said(failure: Failure) -> String {
    format!("error: {failure}")
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("surmise", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }
}
