-- Opens FILE in a headless Neovim with `kolahal lsp`, takes the offered quick fix, and writes what was seen as JSON into SEEN.
local command, seen = vim.json.decode(vim.env.KOLAHAL_COMMAND), {}
local function wait(what, condition)
  if not vim.wait(60000, condition, 50) then error("waited in vain for " .. what) end
end
local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params()
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 10000) or {}) do
    return answer.result
  end
end
local function lens()
  local found = ask("textDocument/codeLens", {})
  return found and found[1] and found[1].command.title or ""
end
local function run()
  vim.cmd("edit " .. vim.env.KOLAHAL_FILE)
  local client = vim.lsp.start_client({ name = "kolahal", cmd = command })
  vim.lsp.buf_attach_client(0, client)
  wait("a diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
  wait("the law", function() return lens():find("law") end)
  seen.before, seen.diagnostic = lens(), vim.diagnostic.get(0)[1].message
  seen.hover = ask("textDocument/hover", { position = { line = 4, character = 5 } }).contents.value
  local everything = { start = { line = 0, character = 0 }, ["end"] = { line = 99, character = 0 } }
  local fixes = function() return ask("textDocument/codeAction", { range = everything, context = { diagnostics = {} } }) end
  wait("a quick fix", function() local found = fixes() return found and #found > 0 end)
  local fix = fixes()[1]
  seen.fix = fix.title
  vim.lsp.util.apply_workspace_edit(fix.edit, vim.lsp.get_client_by_id(client).offset_encoding)
  wait("another verdict", function() return lens() ~= seen.before and lens():find("law") end)
  seen.after, seen.left = lens(), #vim.diagnostic.get(0)
  vim.cmd("write")
end
local fine, fault = pcall(run)
seen.fault = not fine and tostring(fault) or nil
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.KOLAHAL_SEEN)
vim.cmd("qall!")
