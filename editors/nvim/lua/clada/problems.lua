--- What comes after an answer was applied: one line, the list of what failed, the reports.

local config = require('clada.config')
local render = require('clada.render')
local rpc = require('clada.rpc')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('clada')

M.reports = nil ---@type {text: string?, llm: string?}? The reports of the last answer.

--- The register of the clipboard; where there is none, the unnamed one.
function M.register()
  return vim.fn.has('clipboard') == 1 and '+' or '"'
end

--- Copies a text, and returns the register that has it.
function M.copy(text)
  vim.fn.setreg(M.register(), text)
  return M.register()
end

--- Returns the entries of the quickfix list for an outcome.
---@param flow clada.Flow
---@param outcome clada.Outcome
function M.entries(flow, outcome)
  return vim.tbl_map(function(problem)
    local place, text = problem.place, problem.text .. (problem.hint and ' · ' .. problem.hint:match('^[^\n]*') or '')
    return {
      filename = place and vim.uri_to_fname(place.uri),
      bufnr = not place and flow.buffer or nil,
      lnum = place and (place.line or 0) + 1 or flow.buffer and problem.line or 0,
      type = problem.severity == 'error' and 'E' or 'W',
      text = render.advice(text),
    }
  end, outcome.problems or {})
end

--- Returns what commands have written, which the report for people leaves to whoever follows it as it comes.
local function output(result)
  return vim.iter(result.results):map(function(action)
    local data = action.data or {}
    local text = (data.stdout or '') .. (data.stderr or '')
    return text ~= '' and ('\n[task-%s] %s\n%s'):format(action.task, action.params.command or action.action, text) or nil
  end):join('')
end

--- Tells how it went with the documents `applied`; `unsaved` says which could not be saved.
function M.show(flow, result, applied, unsaved)
  M.reports = result.reports
  local written = output(result)
  if M.reports and M.reports.text then
    M.reports.text = M.reports.text .. written
  end
  local commit = result.git and result.git.after
  local modified = vim.iter(applied):map(function(document)
    return not document.saved and vim.fs.basename(document.path) or nil
  end):totable()
  local outcome = result.outcome
  local line = outcome.line .. (#modified > 0 and ' · not saved: ' .. table.concat(modified, ', ') or '') .. (commit and ' · commit ' .. commit:sub(1, 8) or '')
    .. ((commit or result.operationId ~= '' or #applied > 0) and ' · undo: :Clada undo' or '') .. (written ~= '' and ' · output: :Clada report' or '')
  local is_bad = not outcome.complete or result.fatalError ~= nil
  local llm = result.reports and result.reports.llm
  if llm and (config.copy_report == 'always' or (config.copy_report == 'failures' and is_bad)) then
    line = ('%s · report in register %s'):format(line, M.copy(llm))
  end
  if config.quickfix ~= 'never' then
    M.list(M.entries(flow, outcome))
  end
  if config.diagnostics then
    M.diagnose(M.entries(flow, outcome))
  end
  local lines = vim.list_extend({ line, result.fatalError }, unsaved or {})
  rpc.tell(table.concat(lines, '\n'), is_bad and vim.log.levels.WARN or nil)
end

--- Fills the quickfix list, which is not made for nothing; the cursor stays where it is.
function M.list(entries)
  local current = vim.fn.getqflist({ title = 0 }).title == 'clada'
  if #entries == 0 and not current then
    return
  end
  vim.fn.setqflist({}, current and 'r' or ' ', { title = 'clada', items = entries })
  if #entries > 0 and config.quickfix == 'open' then
    local window = vim.api.nvim_get_current_win()
    vim.cmd('botright copen ' .. math.min(#entries + 1, 8))
    vim.api.nvim_set_current_win(window)
  end
end

--- Shows what failed as diagnostics of the buffers that are loaded.
function M.diagnose(entries)
  vim.diagnostic.reset(NAMESPACE)
  local by_buffer = vim.defaulttable()
  for _, entry in ipairs(entries) do
    local buffer = entry.bufnr or vim.fn.bufnr(entry.filename and vim.fn.fnameescape(entry.filename) or '') or -1
    if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) then
      local last = vim.api.nvim_buf_line_count(buffer)
      local item = vim.tbl_extend('force', entry, { bufnr = buffer, lnum = math.min(entry.lnum, last), col = 1, valid = 1 })
      vim.list_extend(by_buffer[buffer], vim.diagnostic.fromqflist({ item }))
    end
  end
  for buffer, diagnostics in pairs(by_buffer) do
    vim.diagnostic.set(NAMESPACE, buffer, diagnostics)
  end
end

return M
