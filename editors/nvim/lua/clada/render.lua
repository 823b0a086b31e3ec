--- A plan as the lines of its review, and what each of them is about.
---
--- Knows models and the documents that they were made over. It must not know windows, keys or signs.

local buffers = require('clada.buffers')
local rpc = require('clada.rpc')

local M = {}

local MOST_LINES = 2000 -- Of each side of a hunk; more would hold the editor up, and `d` shows them.

-- Characters that Neovim does not show: soft hyphen, zero width and directions, tags.
local HIDDEN = { '\194\173', '\226\128[\139-\143\170-\174]', '\226\129[\160-\175]', '\243\160' }

local function has_hidden(line)
  return line:find('[\194\226\243]') ~= nil and vim.iter(HIDDEN):any(function(pattern)
    return line:find(pattern) ~= nil
  end)
end

--- The daemon's advice with this editor's commands in the place of the client's.
function M.advice(text)
  return (text:gsub('`clada apply %-%-to FILE`', '`:Clada apply --to` in its file'):gsub('`clada (embed [^`]*) %-%-copy`', '`:Clada %1`')
    :gsub('; `%-%-copy` puts[^.]*', ''):gsub(' %(`%-%-copy`%)', ''))
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
    if #unit.approvals > 0 then
      add('  needs approval, which y gives:', row)
      for line in vim.gsplit(unit.approvalText or '', '\n', { trimempty = true }) do
        add('  ' .. line, row)
      end
    end
  end
  add('')
  add('# :w or ZZ applies what is accepted · y n accept, leave out · q close · g? help')
  for _, note in ipairs(model.notes) do
    add('# ' .. M.advice(note.text), { note = note, sign = note.severity ~= 'note' and 'waits' or nil })
    if note.hint then
      add('    ' .. M.advice(note.hint), { note = note })
    end
  end
  for _, unit in ipairs(model.units) do
    if unit.title then
      add(unit.title, { unit = unit, head = true })
      approvals(unit, {})
      if unit.diff then
        add(unit.diff, { unit = unit })
      end
    end
  end
  for _, shown in ipairs(model.files) do
    local file = shown.file
    local row = { file = shown, unit = shown.unit, head = #shown.hunks == 0, line = 0 }
    local document = flow.documents[buffers.path(flow.root, file.path)]
    local at = #rows + 1
    add(('%s%s%s'):format(file.title, #shown.hunks > 0 and ' · ' .. rpc.plural(#shown.hunks, 'hunk') or '',
      document and document.modified and ' · not saved' or ''), row)
    rows[at].fold = true
    for _, line in ipairs(file.about or {}) do
      add('  ' .. line, { file = shown, unit = shown.unit })
    end
    for line in vim.gsplit(file.diff or '', '\n', { trimempty = true }) do
      add('  ' .. line, { file = shown, unit = shown.unit })
    end
    local is_blocked
    for _, unit in ipairs(shown.units) do
      approvals(unit, { file = shown })
      if unit.blocked and not is_blocked then
        is_blocked = true
        add('  ' .. unit.blocked, { file = shown, unit = unit, sign = 'waits' })
      end
    end
    for _, part in ipairs(shown.hunks) do
      if #lines > paused + 1000 then
        paused = #lines
        rpc.pause()
      end
      local hunk = part.hunk
      local about = { file = shown, hunk = part, unit = part.unit, line = hunk.start }
      add(hunk.header .. (hunk.edited and ' edited by you' or ''), vim.tbl_extend('force', about, { head = true }))
      for _, side in ipairs({ { ' ', hunk.before }, { '-', hunk.removed }, { '+', hunk.added }, { ' ', hunk.after } }) do
        for index, line in ipairs(side[2] or {}) do
          if index > MOST_LINES then
            add(('%s… and %d more lines; d shows them side by side'):format(side[1], #side[2] - MOST_LINES), about)
            break
          end
          local is_ended = vim.endswith(line, '\n')
          line = is_ended and line:sub(1, -2) or line
          add(side[1] .. (file.crlf and line:gsub('\r$', '') or line), about)
          if not is_ended and side[1] ~= ' ' then
            add('\\ No newline at end of file', about)
          end
        end
      end
    end
  end
  return lines, rows
end

return M
