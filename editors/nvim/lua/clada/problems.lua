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

--- What became of an action, in the words of the summary. One that was accepted and skipped depends on another one.
local function outcome(flow, action)
  return action.kind == 'answer_already_applied' and 'done before'
    or action.status == 'SUCCESS' and 'done'
    or action.status ~= 'SKIP' and 'failed'
    or action.kind == 'skipped' and (flow.declined or {})[action.task] and 'left out'
    or 'not applied'
end

--- Returns the entries of the quickfix list for a result. What the user has left out is none.
---@param flow clada.Flow
---@param result clada.ExecutionResult
function M.entries(flow, result)
  local entries = {}
  for _, action in ipairs(result.results) do
    local what = outcome(flow, action)
    if what == 'failed' or what == 'not applied' then
      local place = action.place
      table.insert(entries, {
        filename = place and vim.uri_to_fname(place.uri),
        lnum = place and (place.line or 0) + 1 or 0,
        type = action.status == 'SKIP' and 'W' or 'E',
        text = ('%s: %s'):format(action.kind or action.status, action.error or action.action)
          .. (action.hint and ' · ' .. action.hint:match('^[^\n]*') or ''),
      })
    end
  end
  for _, issue in ipairs(result.parseErrors or {}) do
    local line = issue.line or issue.blockStartLine
    table.insert(entries, {
      bufnr = flow.buffer,
      lnum = flow.buffer and line or 0,
      type = 'E',
      text = ('%s: %s%s'):format(issue.code or issue.errorType, issue.message,
        flow.buffer and '' or (' (line %s of the answer)'):format(line or '?')),
    })
  end
  for _, proposal in ipairs(result.proposals or {}) do
    table.insert(entries, not proposal.declined and {
      filename = vim.fs.joinpath(flow.root, proposal.path), lnum = 0, type = 'W',
      text = ('proposed, not decided: %s · :Clada apply shows the answer again'):format(proposal.title or proposal.form),
    } or nil)
  end
  for _, other in ipairs(result.notRead or {}) do
    table.insert(entries, {
      bufnr = flow.buffer, lnum = flow.buffer and other.line or 0, type = 'W', text = render.notice(other),
    })
  end
  return entries
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
  local count = vim.defaulttable(function() return 0 end)
  count.failed = #(result.parseErrors or {})
  for _, action in ipairs(result.results) do
    count[outcome(flow, action)] = count[outcome(flow, action)] + 1
  end
  local parts = { count.done .. ' done' }
  for _, what in ipairs({ 'failed', 'not applied', 'left out', 'done before' }) do
    table.insert(parts, count[what] > 0 and ('%d %s'):format(count[what], what) or nil)
  end
  if (flow.left_out or 0) > 0 then
    table.insert(parts, rpc.plural(flow.left_out, 'hunk') .. ' left out')
  end
  local declined = #vim.tbl_filter(function(proposal) return proposal.declined end, result.proposals or {})
  local undecided = #(result.proposals or {}) - declined
  table.insert(parts, undecided > 0 and rpc.plural(undecided, 'proposal') .. ' not decided' or nil)
  table.insert(parts, declined > 0 and rpc.plural(declined, 'proposal') .. ' declined' or nil)
  local not_read = #(result.notRead or {})
  table.insert(parts, not_read > 0 and rpc.plural(not_read, 'part') .. ' of the answer not applied' or nil)
  local commit = result.git and result.git.after
  local modified = vim.iter(applied):map(function(document)
    return not document.saved and vim.fs.basename(document.path) or nil
  end):totable()
  local line = table.concat(parts, ', ') .. (#modified > 0 and ' · not saved: ' .. table.concat(modified, ', ') or '') .. (commit and ' · commit ' .. commit:sub(1, 8) or '')
    .. ((commit or result.operationId ~= '' or #applied > 0) and ' · undo: :Clada undo' or '') .. (written ~= '' and ' · output: :Clada report' or '')
  local is_bad = count.failed + count['not applied'] + undecided + not_read > 0 or result.fatalError ~= nil
  local llm = result.reports and result.reports.llm
  if llm and (config.copy_report == 'always' or (config.copy_report == 'failures' and is_bad)) then
    line = ('%s · report in register %s'):format(line, M.copy(llm))
  end
  if config.quickfix ~= 'never' then
    M.list(M.entries(flow, result))
  end
  if config.diagnostics then
    M.diagnose(M.entries(flow, result))
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
