--- The hunks of a review in the buffers of their files, where they are walked, accepted and left out.
---
--- A hunk is drawn only over the text that it was planned over: a change of the buffer takes all of its hunks away, and the
--- answer is planned again when they are wanted again. It must not know how a review is shown.

local buffers = require('clada.buffers')
local config = require('clada.config')
local model_of = require('clada.model')
local rpc = require('clada.rpc')

local M = {}

local tell = rpc.tell
local NAMESPACE = vim.api.nvim_create_namespace('clada.inline')
local MOST_LINES = 200 -- New lines of a hunk that are drawn.

---@class clada.Drawn
---@field review table
---@field parts table[] The hunks of the file, with their units, in the order of their lines.
---@field maps table<string, table> What the keys did before.

local drawn = {} ---@type table<integer, clada.Drawn> By buffer.

--- What is accepted of a unit, as a sign and a word: colours alone would not tell it everywhere.
local function state_of(unit)
  local signs = config.signs
  return unit.accepted and { signs.accepted .. ' accepted', 'Added' }
    or (unit.blocked or (#unit.approvals > 0 and not unit.declined)) and { signs.waits .. ' waits', 'WarningMsg' }
    or unit.proposal and not unit.declined and { signs.proposed .. ' proposed', 'Changed' }
    or { signs.left_out .. ' left out', 'Comment' }
end

local function draw(buffer, part)
  local hunk, count = part.hunk, vim.api.nvim_buf_line_count(buffer)
  local first, last = math.min(hunk.start, count), math.min(hunk.start + #hunk.removed, count)
  if last > first then
    vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, first, 0, {
      end_row = last, hl_group = part.unit.accepted and 'DiffDelete' or nil, hl_eol = true, strict = false,
      sign_text = '-', sign_hl_group = 'Removed',
    })
  end
  local tab = (' '):rep(vim.bo[buffer].tabstop)
  local lines = { { { ('▎%s · ]c [c next, previous'):format(state_of(part.unit)[1]), state_of(part.unit)[2] } } }
  for index, text in ipairs(hunk.added) do
    if index > MOST_LINES then
      table.insert(lines, { { ('+ … and %d more lines'):format(#hunk.added - MOST_LINES), 'Comment' } })
      break
    end
    local shown = vim.fn.strtrans((text:gsub('\r?\n$', ''):gsub('\t', tab)))
    table.insert(lines, { { '+ ' .. shown, part.unit.accepted and 'DiffAdd' or 'Comment' } })
  end
  vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, math.max(last - 1, 0), 0, { virt_lines = lines, virt_lines_above = last == 0 })
end

local function redraw(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  for _, part in ipairs(drawn[buffer].parts) do
    draw(buffer, part)
  end
end

--- Takes the hunks of a buffer away, with their keys.
local function clear(buffer)
  local shown = drawn[buffer]
  drawn[buffer] = nil
  if not shown or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  vim.api.nvim_buf_call(buffer, function()
    for lhs, before in pairs(shown.maps) do
      pcall(vim.keymap.del, 'n', lhs, { buffer = buffer })
      if before.buffer == 1 then
        vim.fn.mapset('n', false, before)
      end
    end
  end)
end

--- Goes to the next hunk of this buffer (`step` 1), or to the one before (-1).
--- `unit` is one that is decided about: no hunk of it is gone to.
function M.go(step, unit)
  local shown = drawn[vim.api.nvim_get_current_buf()]
  if not shown then
    return tell('no hunks are drawn in this buffer; `:Clada inline` draws them')
  end
  local at, found = vim.api.nvim_win_get_cursor(0)[1] - 1, nil
  for _, part in ipairs(shown.parts) do
    if step > 0 and part.hunk.start > at and (not unit or part.unit ~= unit) then
      found = found or part
    elseif step < 0 and part.hunk.start < at then
      found = part
    end
  end
  if not found then
    return unit or tell('there is no other hunk in this buffer')
  end
  local count = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(found.hunk.start + 1, count), 0 })
  vim.cmd('normal! zv')
end

--- The hunk that the cursor is on, or right below.
local function here()
  local shown = drawn[vim.api.nvim_get_current_buf()]
  local at = vim.api.nvim_win_get_cursor(0)[1] - 1
  local part = shown and vim.iter(shown.parts):find(function(part)
    local start = math.min(part.hunk.start, vim.api.nvim_buf_line_count(0) - 1)
    return start <= at and at <= math.max(start, start + #part.hunk.removed - 1)
  end)
  return part, shown
end

--- Accepts the hunk of the cursor, or leaves it out, and goes to the next one.
function M.decide(accepted)
  local part, shown = here()
  if not part then
    return tell('there is no hunk here')
  elseif accepted and #part.unit.approvals > 0 then
    return tell('it needs approval, which y in the review gives')
  end
  local reason = model_of.set(part.unit, accepted)
  if reason then
    return tell(reason)
  end
  require('clada.review').refresh(shown.review)
  M.go(1, part.unit)
end

local KEYS = {
  { ']c', 'next hunk', function() M.go(1) end },
  { '[c', 'previous hunk', function() M.go(-1) end },
  { '<LocalLeader>y', 'accept the hunk', function() M.decide(true) end },
  { '<LocalLeader>n', 'leave the hunk out', function() M.decide(false) end },
}

local function map(buffer)
  local maps = {}
  vim.api.nvim_buf_call(buffer, function()
    for _, key in ipairs(KEYS) do
      local lhs, description, action = unpack(key)
      maps[lhs] = vim.fn.maparg(lhs, 'n', false, true)
      vim.keymap.set('n', lhs, function()
        -- In diff mode they go through its changes.
        if vim.wo.diff and lhs:find('c$') then
          return vim.cmd('normal! ' .. lhs)
        end
        action()
      end, { buffer = buffer, desc = 'clada: ' .. description })
    end
  end)
  return maps
end

--- Draws the hunks of one file in its buffer. Returns false if the buffer is not what they were planned over.
local function show_file(review, file)
  local path = buffers.path(review.flow.root, file.file.oldPath or file.file.path)
  local document = review.flow.documents[path]
  if not document and vim.fn.bufloaded(path) == 1 then
    -- It was opened since, and is planned over as a buffer from now on.
    return false
  elseif not document or not vim.api.nvim_buf_is_loaded(document.buffer) or #file.hunks == 0 then
    return true
  end
  -- Of several versions of a file the one that is accepted, else the first.
  local of_another = drawn[document.buffer]
  if of_another and of_another.review == review and not file.hunks[1].unit.accepted then
    return true
  end
  local buffer = document.buffer
  if buffers.tick(buffer) ~= document.tick then
    return false
  end
  clear(buffer)
  drawn[buffer] = { review = review, parts = file.hunks, maps = map(buffer) }
  redraw(buffer)
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      local is_drawn = drawn[buffer] ~= nil
      vim.schedule(function()
        clear(buffer)
      end)
      if is_drawn and not review.running then
        tell('the buffer has changed: `:Clada inline` plans the answer again and draws its hunks')
      end
      return true
    end,
  })
  return true
end

--- Draws the hunks of a review in all buffers that hold files of it. Plans it again first if one has changed.
---@param after fun(review: table)? Called once they are drawn.
function M.show(review, after)
  local is_stale = false
  for _, file in ipairs(review.model.files) do
    is_stale = not show_file(review, file) or is_stale
  end
  if is_stale and not review.replanned then
    M.clear(review)
    rpc.run(function()
      local again = require('clada.flow').plan_again(review.flow, review.model)
      if again then
        local new = require('clada.review').open(review.flow, again)
        new.replanned = true
        M.show(new, after)
        new.replanned = nil
      end
    end)
  elseif after then
    after(review)
  end
end

--- Draws the hunks of a review again, where they are drawn.
function M.refresh(review)
  for buffer, shown in pairs(drawn) do
    if shown.review == review and vim.api.nvim_buf_is_valid(buffer) then
      redraw(buffer)
    end
  end
end

--- Takes the hunks of a review away.
function M.clear(review)
  for _, buffer in ipairs(vim.tbl_keys(drawn)) do
    if drawn[buffer].review == review then
      clear(buffer)
    end
  end
end

--- True if hunks of a review are drawn somewhere.
function M.is_shown(review)
  -- By its values: a table of buffer 1 alone is a list to vim.iter.
  return vim.iter(vim.tbl_values(drawn)):any(function(shown)
    return shown.review == review
  end)
end

return M
