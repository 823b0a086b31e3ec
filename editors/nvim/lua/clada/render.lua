--- A plan as the lines of its review, and what each of them is about.
---
--- Knows models and the documents that they were made over. It must not know windows, keys or signs.

local buffers = require('clada.buffers')
local model_of = require('clada.model')
local rpc = require('clada.rpc')

local M = {}

local MOST_LINES = 2000 -- Of each side of a hunk; more would hold the editor up, and `d` shows them.

--- True if all lines of a file's hunks end in CRLF: then it is not worth showing.
function M.is_crlf(file)
  local text = vim.iter(file.hunks):map(function(hunk)
    return table.concat(hunk.removed) .. table.concat(hunk.added)
  end):join('')
  return text:find('\r\n') ~= nil and not text:find('[^\r]\n') and text:sub(1, 1) ~= '\n'
end

-- Characters that Neovim does not show: soft hyphen, zero width and directions, tags.
local HIDDEN = { '\194\173', '\226\128[\139-\143\170-\174]', '\226\129[\160-\175]', '\243\160' }

local function has_hidden(line)
  return line:find('[\194\226\243]') ~= nil and vim.iter(HIDDEN):any(function(pattern)
    return line:find(pattern) ~= nil
  end)
end

--- True if the lines of a hunk are those that the user gave it.
local function is_edited(flow, hunk)
  return vim.iter(flow.edits or {}):any(function(place)
    return vim.deep_equal(place.lines, hunk.added) and vim.deep_equal(place.removed, hunk.removed)
  end)
end

--- The daemon's advice with this editor's commands in the place of the client's.
function M.advice(text)
  return (text:gsub('`clada apply %-%-to FILE`', '`:Clada apply --to` in its file'):gsub('`clada (embed [^`]*) %-%-copy`', '`:Clada %1`')
    :gsub('; `%-%-copy` puts[^.]*', ''):gsub(' %(`%-%-copy`%)', ''))
end

--- The words for a part of the answer that is not applied, with what to do about it.
function M.notice(other)
  local path = other.path and other.path .. ': ' or ''
  return ('not applied, line %d of the answer: %s%s'):format(other.line, path, M.advice(other.hint))
end

--- Renders a model as lines, and for each of them what it is about. Between parts of a long one the editor may do other
--- things.
function M.lines(flow, model)
  local lines, rows, paused = {}, {}, 0
  local function add(line, row)
    for index, part in ipairs(line:find('\n', 1, true) and vim.split(line, '\n', { plain = true }) or { line }) do
      lines[#lines + 1] = index == 1 and part or '    ' .. part
      rows[#lines] = has_hidden(part) and vim.tbl_extend('force', row or {}, { hidden = true }) or row or {}
    end
  end
  -- What accepting the unit approves, in the daemon's words.
  local function approvals(unit, row)
    row = vim.tbl_extend('force', row, { unit = unit, sign = 'waits' })
    for _, approval in ipairs(model.plan.approvals) do
      if vim.tbl_contains(unit.approvals, approval.id) then
        add('  needs approval, which y gives:', row)
        for line in vim.gsplit(approval.text, '\n', { trimempty = true }) do
          add('  ' .. line, row)
        end
      end
    end
  end
  -- What the answer says of a proposal, and why to look at it closely.
  local function proposal(shown)
    local it, row = shown.proposal, { file = shown, unit = shown.unit }
    add(('  %s · +%d −%d · lines %d–%d of the answer · y accepts it'):format(it.title or it.form, it.added, it.removed, it.line,
      it.endLine), row)
    if it.words then
      add('  “' .. it.words .. '”', row)
    end
    for _, remark in ipairs(it.remarks or it.notes or {}) do
      add('  ! ' .. remark, row)
    end
    for line in vim.gsplit(#shown.hunks == 0 and it.diff or '', '\n', { trimempty = true }) do
      add('  ' .. line, row)
    end
  end
  add('')
  add('# :w or ZZ applies what is accepted · y n accept, leave out · q close · g? help')
  for _, action in ipairs(model.problems) do
    add(('# [task-%s] %s'):format(action.task, action.unplannable.error), { sign = 'waits', problem = action })
    if action.unplannable.hint then
      add('    ' .. action.unplannable.hint, { problem = action })
    end
  end
  for _, issue in ipairs(model.plan.parseErrors) do
    add(('# %s: %s'):format(issue.code or issue.errorType, issue.message), { sign = 'waits' })
  end
  for _, other in ipairs(model.plan.notRead or {}) do
    add('# ' .. M.notice(other), { sign = 'waits' })
  end
  for _, path in ipairs(model.plan.already or {}) do
    add('# already as in the answer: ' .. path)
  end
  for _, action in ipairs(model.done) do
    add(('# [task-%s] already done: %s'):format(action.task, model_of.words(action)))
  end
  for _, unit in ipairs(model.rest) do
    local row = { unit = unit, head = true, action = unit.action }
    add(model_of.words(unit.action), row)
    approvals(unit, {})
    if unit.action.diff then
      add(unit.action.diff, { unit = unit })
    end
  end
  for _, shown in ipairs(model.files) do
    local file = shown.file
    local row = { file = shown, unit = shown.unit, head = #shown.hunks == 0, line = 0 }
    local document = flow.documents[buffers.path(flow.root, file.path)]
    local name = file.oldPath and file.oldPath ~= file.path and ('%s → %s'):format(file.oldPath, file.path) or file.path
    local at = #rows + 1
    add(('%s %s%s%s'):format(shown.proposal and 'proposed: ' .. file.kind or file.kind, (name:gsub('\n', '\\n')),
      #shown.hunks > 0 and ' · ' .. rpc.plural(#shown.hunks, 'hunk') or '',
      document and document.modified and ' · not saved' or ''), row)
    rows[at].fold = true
    if shown.proposal then
      proposal(shown)
    end
    local units = {}
    for _, unit in ipairs(shown.unit and { shown.unit } or vim.tbl_map(function(part) return part.unit end, shown.hunks)) do
      if not units[unit] then
        units[unit] = true
        approvals(unit, { file = shown })
        if unit.blocked and not units.blocked then
          units.blocked = true
          add('  ' .. unit.blocked, { file = shown, unit = unit, sign = 'waits' })
        end
      end
    end
    local crlf, shift = M.is_crlf(file), 0
    for _, part in ipairs(shown.hunks) do
      if #lines > paused + 1000 then
        paused = #lines
        rpc.pause()
      end
      local hunk = part.hunk
      local about = { file = shown, hunk = part, unit = part.unit, line = hunk.start }
      local by_user = is_edited(flow, hunk) and ' edited by you' or ''
      add(('@@ -%d,%d +%d,%d @@' .. by_user):format(hunk.start + (#hunk.removed > 0 and 1 or 0), #hunk.removed,
        hunk.start + shift + (#hunk.added > 0 and 1 or 0), #hunk.added), { file = shown, hunk = part, unit = part.unit, line = hunk.start, head = true })
      shift = shift + #hunk.added - #hunk.removed
      for _, side in ipairs({ { ' ', hunk.before }, { '-', hunk.removed }, { '+', hunk.added }, { ' ', hunk.after } }) do
        for index, line in ipairs(side[2] or {}) do
          if index > MOST_LINES then
            add(('%s… and %d more lines; d shows them side by side'):format(side[1], #side[2] - MOST_LINES), about)
            break
          end
          local is_ended = vim.endswith(line, '\n')
          line = is_ended and line:sub(1, -2) or line
          add(side[1] .. (crlf and line:gsub('\r$', '') or line), about)
          if not is_ended and side[1] ~= ' ' then
            add('\\ No newline at end of file', about)
          end
        end
      end
    end
  end
  for _, action in ipairs(model.looks) do
    add('# only reads: ' .. model_of.words(action))
  end
  for _, warning in ipairs(model.plan.warnings or {}) do
    -- Answers are taught to name files so.
    if not vim.startswith(warning.message, 'Relative path: ') then
      add('# ' .. M.advice(warning.message))
    end
  end
  return lines, rows
end

return M
