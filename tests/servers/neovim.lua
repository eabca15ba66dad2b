-- Asks the server as Neovim does: `nvim --headless --clean -l` is newer than some distributions have, so this is sourced.
local binary, file = vim.env.SURMISE_BINARY, vim.env.SURMISE_FILE

local function fail(problem)
  io.stderr:write(problem .. "\n")
  vim.cmd("cquit 1")
end

local function settled(what, condition)
  if not vim.wait(60000, condition, 20) then
    fail("Neovim waited in vain for " .. what)
  end
end

vim.cmd("edit " .. vim.fn.fnameescape(file))
vim.bo.filetype = "python"
local client = vim.lsp.start_client({ name = "surmise", cmd = { binary, "lsp" } })
if not client then
  fail("the server could not be started")
end
vim.lsp.buf_attach_client(0, client)
settled("diagnostics", function()
  return #vim.diagnostic.get(0) > 0
end)

local told = { diagnostics = {}, lenses = {} }
for _, found in ipairs(vim.diagnostic.get(0)) do
  table.insert(told.diagnostics, { line = found.lnum, column = found.col, severity = found.severity, code = found.code })
end
local document = { textDocument = vim.lsp.util.make_text_document_params() }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeLens", document, 60000)
for _, lens in ipairs(answers[client].result) do
  table.insert(told.lenses, lens.command.title)
end
vim.fn.writefile({ vim.fn.json_encode(told) }, vim.env.SURMISE_OUT)
vim.lsp.stop_client(client)
settled("the end of the server", function()
  return vim.lsp.client_is_stopped(client)
end)
vim.cmd("quitall!")
