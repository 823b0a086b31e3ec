--- Tests without a daemon: texts and edits of buffers, roots, settings, and the review of plans that are made up.

local T = T
local buffers = require('clada.buffers')

local function open(name, bytes)
  local path = T.top .. '/units/' .. name
  if bytes then
    T.write(path, bytes)
  end
  vim.cmd('silent edit ' .. vim.fn.fnameescape(path))
  return vim.api.nvim_get_current_buf(), path
end

--- A text as edits of whole lines have it: its lines with their ends.
local function lines_of(text)
  local lines = {}
  for line in text:gmatch('[^\n]*\n?') do
    if line ~= '' then
      table.insert(lines, line)
    end
  end
  return lines
end

local function edit(first, last, text)
  return {
    range = { start = { line = first, character = 0 }, ['end'] = { line = last, character = 0 } },
    newText = text,
  }
end

T.test('the text of a buffer is what would be written', function()
  for index, bytes in ipairs({
    '', '\n', 'a', 'a\n', 'a\r\nb\r\n', 'a\r\nb', 'a\nb\r\nc\n', 'a\rb\n', '\239\187\191a\n', '\239\187\191a\r\n',
    'ä𝒳\t\n\n\n',
  }) do
    vim.o.fixendofline = false
    local buffer, path = open('text' .. index, bytes)
    T.eq(buffers.text(buffer), bytes, 'as read')
    vim.cmd('silent write!')
    T.eq(T.read(path), bytes, 'as written')
    vim.o.fixendofline = true
    vim.bo.fixendofline = true
    T.eq(buffers.text(buffer, true), bytes, 'without what fixeol adds')
    vim.cmd('silent write!')
    T.eq(T.read(path), buffers.text(buffer), 'with fixeol')
  end
end)

T.test('an emptied buffer and one with an empty line are told apart', function()
  local buffer = open('empty', 'a\n')
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, {})
  T.eq(buffers.text(buffer), '')
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { '' })
  T.eq(buffers.text(buffer), '\n')
end)

T.test('what cannot be an overlay says why', function()
  local root = T.top .. '/units'
  for name, setting in pairs({ latin1 = 'fileencoding=latin1', bin = 'binary', mac = 'fileformat=mac' }) do
    local buffer = open(name, 'a\n')
    vim.cmd('setlocal ' .. setting)
    vim.api.nvim_buf_set_lines(buffer, 0, 1, false, { 'b' })
  end
  local broken = open('broken', 'a\n')
  vim.api.nvim_buf_set_lines(broken, 0, 1, false, { 'ä\xff' })
  local good = open('good', 'ä\n')
  vim.api.nvim_buf_set_lines(good, 0, 1, false, { 'é𝒳' })
  local documents = buffers.documents(root)
  local overlays = buffers.overlays(documents)
  T.eq(#overlays, 1)
  T.eq(overlays[1].text, 'é𝒳\n')
  T.eq(vim.uri_to_fname(overlays[1].uri), root .. '/good')
  for name, why in pairs({ latin1 = 'fileencoding', bin = 'binary', mac = 'fileformat', broken = 'UTF-8' }) do
    T.has(documents[root .. '/' .. name].refused, why)
  end
end)

T.test('edits make the text that the daemon has made, and go back', function()
  math.randomseed(7)
  local pieces = { 'a', 'b', '', 'ä', '𝒳\t', 'x\ry', ' ' }
  for round = 1, vim.env.CLADA_ALL and 2000 or 60 do
    local crlf = round % 3 == 0
    local bom = round % 5 == 0 and '\239\187\191' or ''
    local function text()
      local lines = {}
      for _ = 1, math.random(0, 8) do
        table.insert(lines, pieces[math.random(#pieces)] .. (crlf and '\r\n' or '\n'))
      end
      local joined = table.concat(lines)
      return math.random(4) == 1 and joined:gsub('\r?\n$', '') or joined
    end
    local old, new = text(), text()
    -- A text without a line end, or with lone ones, is not one of the format that is looked at.
    if crlf and not (old:find('\r\n') and not old:gsub('\r\n', ''):find('[\r\n]')) then
      old = 'a\r\n' .. old
    end
    local edits, from, to = {}, lines_of(old), lines_of(new)
    local same = 0
    while from[same + 1] and from[same + 1] == to[same + 1] do
      same = same + 1
    end
    local tail = 0
    while #from - tail > same and #to - tail > same and from[#from - tail] == to[#to - tail] do
      tail = tail + 1
    end
    edits[1] = edit(same, #from - tail, table.concat(to, '', same + 1, #to - tail))
    vim.o.fixendofline = false
    old, new = bom .. old, bom .. new
    local buffer, path = open('random', old)
    vim.cmd('silent edit!')
    T.eq(buffers.text(buffer), old, 'read ' .. round)
    local back = buffers.apply(buffer, buffers.change(buffer, edits))
    T.eq(buffers.text(buffer), new, ('round %d from %s by %s'):format(round, vim.inspect(old), vim.inspect(edits)))
    vim.cmd('silent write!')
    T.eq(T.read(path), new, 'written ' .. round)
    local again = buffers.apply(buffer, back)
    T.eq(buffers.text(buffer), old, 'back ' .. round)
    buffers.apply(buffer, again)
    T.eq(buffers.text(buffer), new, 'again ' .. round)
    vim.bo.modified = false
  end
end)

T.test('several edits are one step of undo, apart from what was typed', function()
  local buffer = open('steps', 'one\ntwo\nthree\nfour\n')
  T.keys('ityped <Esc>')
  buffers.apply(buffer, buffers.change(buffer, { edit(1, 2, '2\n'), edit(3, 4, '4\nfive\n') }))
  T.eq(buffers.text(buffer), 'typed one\n2\nthree\n4\nfive\n')
  T.keys('A!<Esc>')
  vim.cmd('silent undo')
  T.eq(buffers.text(buffer), 'typed one\n2\nthree\n4\nfive\n')
  vim.cmd('silent undo')
  T.eq(buffers.text(buffer), 'typed one\ntwo\nthree\nfour\n')
  vim.cmd('silent undo')
  T.eq(buffers.text(buffer), 'one\ntwo\nthree\nfour\n')
end)

T.test('a CRLF file that becomes LF is one', function()
  local buffer, path = open('ends', 'a\r\nb\r\n')
  local back = buffers.apply(buffer, buffers.change(buffer, { edit(0, 2, 'a\nb\n') }))
  vim.cmd('silent write!')
  T.eq(T.read(path), 'a\nb\n')
  buffers.apply(buffer, back)
  vim.cmd('silent write!')
  T.eq(T.read(path), 'a\r\nb\r\n')
end)

T.test('unmodified buffers follow their files', function()
  local root = T.top .. '/units/follow'
  for _, name in ipairs({ 'changed', 'deleted', 'from', 'typed' }) do
    open('follow/' .. name, name .. '\n')
  end
  local fresh = open('follow/fresh')
  local typed = vim.fn.bufnr(root .. '/typed')
  vim.api.nvim_buf_set_lines(typed, 0, 1, false, { 'mine' })
  for _, name in ipairs({ 'changed', 'typed', 'fresh' }) do
    T.write(root .. '/' .. name, 'new\n')
  end
  os.remove(root .. '/deleted')
  os.rename(root .. '/from', root .. '/to')
  local moved = vim.fn.bufnr(root .. '/from')
  buffers.follow(root, {
    { path = root .. '/changed', change = 'changed' }, { path = root .. '/typed', change = 'changed' },
    { path = root .. '/deleted', change = 'deleted' }, { path = root .. '/fresh', change = 'created' },
    { path = root .. '/to', from = root .. '/from', change = 'moved' },
  })
  T.eq(buffers.text(vim.fn.bufnr(root .. '/changed')), 'new\n')
  T.eq(buffers.text(typed), 'mine\n')
  T.eq(buffers.text(fresh), 'new\n')
  T.eq(vim.fn.bufloaded(root .. '/deleted'), 0)
  T.eq(vim.api.nvim_buf_get_name(moved), root .. '/to')
  T.eq(buffers.text(moved), 'from\n')
  T.eq(vim.fn.bufexists(root .. '/from'), 0)
end)

T.test('a buffer is about its file, else the working directory, and nothing of another machine', function()
  local cwd = vim.fn.getcwd()
  T.eq(buffers.place(0), cwd)
  vim.api.nvim_buf_set_name(0, T.top .. '/a file')
  T.eq(buffers.place(0), T.top .. '/a file')
  vim.bo.buftype = 'nofile'
  T.eq(buffers.place(0), cwd)
  vim.bo.buftype = ''
  vim.api.nvim_buf_set_name(0, 'scp://host/a')
  T.has(select(2, buffers.place(0)), 'another machine')
end)

T.test('wrong settings are named', function()
  local clada = require('clada')
  for settings, why in pairs({
    [{ reviw = true }] = 'reviw is no setting',
    [{ review = 1 }] = 'review is a boolean',
    [{ layout = 'float' }] = 'layout is one of tab, split, vsplit',
    [{ signs = { good = 'x' } }] = 'signs.good is no setting',
  }) do
    local ok, message = pcall(clada.setup, settings)
    T.eq(ok, false)
    T.has(message, why)
  end
end)

T.test('a program is never one of a relative path', function()
  local rpc = require('clada.rpc')
  T.eq(rpc.program('./sh'), nil)
  T.eq(rpc.program('bin/sh'), nil)
  T.eq(rpc.program('/bin/sh'), '/bin/sh')
  T.eq(rpc.program('sh') ~= nil, true)
end)

T.test('the command completes, and names what it does not know', function()
  local clada = require('clada')
  T.eq(clada.complete('re', 'Clada re'), { 'redo', 'reject', 'report', 'restart', 'review' })
  T.eq(clada.complete('', 'Clada context '), { 'add', 'remove', 'list', 'prune', 'clear' })
  T.eq(clada.complete('--', 'Clada embed --'), { '--context' })
  T.eq(vim.tbl_contains(clada.complete('', 'Clada embed '), '--context'), false)
  T.eq(clada.complete('--d', 'Clada apply --d'), { '--dialect=' })
  vim.cmd('Clada nonsense')
  T.has(T.notes[1], 'nonsense is no command; there are accept, apply')
end)

--- Puts answers in place of the daemon's. Returns the requests that were made.
local function fake(answers)
  local rpc = require('clada.rpc')
  local requests, request = {}, rpc.request
  rpc.request = function(method, params, answer)
    table.insert(requests, { method = method, params = vim.deepcopy(params) })
    local result = answers[method]
    if type(result) == 'function' then
      result = result(params)
    end
    vim.schedule(function()
      answer(result and result.error, result and not result.error and result or nil)
    end)
    return function() end
  end
  return requests, function()
    rpc.request = request
  end
end

local function hunk(id, start, removed, added, group, header, before, after)
  return {
    id = id, start = start, removed = removed, added = added, before = before, after = after, header = header,
    parts = { 'a' .. id:match('%d') }, group = group,
  }
end

local function signs(buffer)
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, -1, 0, -1, { details = true })) do
    local line = vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, false)[1]
    if mark[4].sign_text then
      table.insert(found, vim.trim(mark[4].sign_text) .. ' ' .. line)
    end
  end
  return found
end

--- Opens the review of a made-up plan: two hunks in one file, a new file, a command to approve, and a failure.
local function reviewed(execute)
  local root = T.top .. '/units/fake'
  T.write(root .. '/.git/HEAD', '')
  T.write(root .. '/a.lua', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n')
  local requests, restore = fake({
    plan = {
      planId = 'p1', expiresInMs = 1000, totalBlocks = 1, actions = {}, parseErrors = {}, approvals = {}, diff = '',
      files = {
        {
          path = 'a.lua', uri = vim.uri_from_fname(root .. '/a.lua'), kind = 'change', title = 'change a.lua', units = { 'g1', 'g2' },
          hunks = {
            hunk('h1', 1, { 'two\n' }, { '2\n', '2.5\n' }, 'g1', '@@ -1,5 +1,6 @@', { 'one\n' }, { 'three\n', 'four\n', 'five\n' }),
            hunk('h2', 7, { 'eight\n' }, {}, 'g2', '@@ -6,4 +7,3 @@', { 'six\n', 'seven\n' }, { 'nine\n' }),
          },
        },
        {
          path = 'b.lua', uri = 'file:///b', kind = 'create', title = 'create b.lua', group = 'g3', parts = { 'a3' }, units = { 'g3' },
          hunks = { hunk('h3', 0, {}, { 'b\27[31m\n' }, 'g3', '@@ -0,0 +1,1 @@') },
        },
      },
      review = {
        units = {
          { id = 'g1', key = '1', accepted = true }, { id = 'g2', key = '2', accepted = true }, { id = 'g3', key = '3', accepted = true },
          {
            id = 'a4', key = '4', accepted = false, approvals = { 'x' }, title = 'run make', command = true,
            approvalText = '  task 4, a command in .: nobody has approved it.\n    | make',
          },
        },
        always = { 'a6', 'a5' }, failed = 1,
        notes = {
          { severity = 'error', text = '[task-5] old_text not found in c.lua (NO_MATCH)', hint = 'Look\nagain.', action = 'a5' },
          { severity = 'note', text = 'only reads: file_read a.lua' },
        },
      },
    },
    subscribe = { subscription = 's' },
    execute = execute or { success = true, results = {}, parseErrors = {}, operationId = '', outcome = { line = '0 done', complete = true } },
  })
  require('clada').apply({ text = 'x', root = root })
  T.wait(function()
    return vim.bo.filetype == 'clada-review'
  end, 'the review')
  return root, requests, restore, vim.api.nvim_get_current_buf()
end

T.test('a review shows files, hunks, failures and what waits', function()
  local root, _, restore, buffer = reviewed()
  restore()
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  T.eq(text:gsub(vim.pesc(root), 'ROOT'):gsub(vim.pesc(vim.fn.fnamemodify(root, ':~')), 'ROOT'), [[
# clada: 3 of 4 changes accepted, 1 failed · the given text · ROOT
# :w or ZZ applies what is accepted · y n accept, leave out · q close · g? help
# [task-5] old_text not found in c.lua (NO_MATCH)
    Look
    again.
# only reads: file_read a.lua
run make
  needs approval, which y gives:
    task 4, a command in .: nobody has approved it.
      | make
change a.lua · 2 hunks
@@ -1,5 +1,6 @@
 one
-two
+2
+2.5
 three
 four
 five
@@ -6,4 +7,3 @@
 six
 seven
-eight
 nine
create b.lua · 1 hunk
@@ -0,0 +1,1 @@
+b]] .. '\27[31m')
  T.eq(signs(buffer), {
    '! # [task-5] old_text not found in c.lua (NO_MATCH)', '! run make',
    '!   needs approval, which y gives:', '!     task 4, a command in .: nobody has approved it.', '!       | make',
    '✓ change a.lua · 2 hunks', '✓ @@ -1,5 +1,6 @@', '✓ @@ -6,4 +7,3 @@', '✓ create b.lua · 1 hunk',
    '✓ @@ -0,0 +1,1 @@',
  })
  T.eq(require('clada').status(), 'clada 3/4')
end)

T.test('text that hides something is shown', function()
  local _, _, restore = reviewed()
  restore()
  --- Shows a review with these added lines, and returns the screen.
  local function screen(added)
    local review = require('clada.review').get()
    review.model.plan.files[2].hunks[1].added = added
    require('clada.review').open(review.flow, review.model)
    vim.cmd('normal! G')
    vim.cmd('redraw!')
    return vim.iter(vim.fn.range(1, vim.o.lines)):map(function(line)
      return vim.iter(vim.fn.range(1, vim.o.columns)):map(function(column)
        return vim.fn.screenstring(line, column)
      end):join('')
    end):join('\n')
  end
  local shown = screen({ 'a\27[2Jb\226\128\174c\226\128\139d%s\r\n', 'so\194\173ft\n' })
  T.has(shown, '+a^[[2Jb<202e>c<200b>d%s^M')
  T.eq(select(2, shown:gsub(' ← hidden characters *\n', '')), 2)
  T.has(shown, '✓ @@ -0,0 +1,1 @@')
  -- The mark covers nothing of a line that wraps.
  T.has(screen({ ('x'):rep(vim.o.columns) .. '\226\128\174end\n' }), '<202e>end ← hidden characters')
end)

T.test('keys decide, and exactly what was accepted is asked for', function()
  local _, requests, restore, buffer = reviewed()
  -- The cursor is on the command; then on both hunks, then on the new file.
  T.keys('ny')
  T.keys('n')
  T.eq(signs(buffer)[8], '✗ @@ -6,4 +7,3 @@')
  T.keys('a[h')
  T.keys('n')
  T.eq(require('clada').status(), 'clada 2/4')
  T.keys(']c[c[cyZZ')
  T.wait(function()
    return requests[#requests].method == 'execute'
  end, 'execute')
  T.note('0 done')
  restore()
  local params = requests[#requests].params
  T.eq({ params.planId, params.deliver, params.units, params.lines }, { 'p1', 'mixed', 'line', 'lf' })
  T.eq(params.accept, { 'a6', 'a5', 'g1', 'g3' })
  T.eq(params.approve, nil)
end)

T.test('y to what waits is its approval, and all accepted is asked for as all', function()
  local _, requests, restore = reviewed()
  T.keys('gg' .. ('j'):rep(6) .. 'y')
  T.eq(require('clada').status(), 'clada 4/4')
  vim.cmd('write')
  T.wait(function()
    return requests[#requests].method == 'execute'
  end, 'execute')
  T.note('0 done')
  restore()
  T.eq(requests[#requests].params.accept, nil)
  T.eq(requests[#requests].params.approve, { 'x' })
end)

T.test('a review outlives its window', function()
  local _, _, restore, buffer = reviewed()
  restore()
  T.keys('nq')
  T.eq(vim.bo.filetype, '')
  T.note('nothing was applied; `:Clada review` shows it again')
  vim.cmd('Clada review')
  T.eq(vim.api.nvim_get_current_buf(), buffer)
  T.keys(']hd')
  T.eq(vim.wo.diff, true)
  T.eq(vim.api.nvim_buf_get_lines(0, 0, -1, false)[2], '2')
  T.eq(vim.fn.line('.'), 2)
  T.keys('q')
  T.keys(']hd')
  T.eq(vim.api.nvim_get_current_line(), 'nine', 'where lines go away')
  T.keys('q')
  T.keys('<CR>')
  T.eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), 'a.lua')
  T.eq(vim.api.nvim_win_get_cursor(0)[1], 8)
end)

T.test('a hunk is shown in its buffer until the next key', function()
  local _, _, restore, buffer = reviewed()
  restore()
  T.keys(']h')
  T.eq(vim.api.nvim_get_current_buf(), buffer)
  vim.fn.search('^@@ -8')
  T.keys('p')
  T.eq(vim.api.nvim_get_current_buf(), buffer)
  local target = vim.fn.bufnr('a.lua$')
  local function marks()
    return #vim.api.nvim_buf_get_extmarks(target, -1, 0, -1, {})
  end
  T.eq(marks(), 2)
  vim.wait(20)
  T.keys('j')
  T.eq(marks(), 0)
end)

T.test('all keys are listed, also in a low window', function()
  local _, _, restore = reviewed()
  restore()
  vim.cmd('split | resize 3')
  T.keys('g?')
  local window = vim.iter(vim.api.nvim_list_wins()):find(function(it)
    return vim.api.nvim_win_get_config(it).relative ~= ''
  end)
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  T.eq(vim.api.nvim_win_get_height(window), #lines)
  T.has(table.concat(lines, '\n'), ' g?     these keys')
  vim.api.nvim_win_close(window, true)
end)

T.test('lines fold below their file', function()
  local _, _, restore = reviewed()
  restore()
  vim.fn.search('^change')
  vim.cmd('normal! zc')
  T.eq({ vim.fn.foldclosed('.'), vim.fn.foldclosedend('.') }, { vim.fn.line('.'), vim.fn.search('^create', 'n') - 1 })
end)

T.test('failures are in the quickfix list, at their places', function()
  local root, requests, restore = reviewed({
    success = false,
    operationId = 'o',
    parseErrors = {},
    results = {},
    reports = { text = 'report', llm = 'clada-report' },
    outcome = {
      line = '1 done, 2 failed, 1 left out', complete = false,
      problems = {
        {
          severity = 'error', text = 'no_match: not found', hint = 'Look.\nThere.', line = 1,
          place = { path = 'a.lua', uri = vim.uri_from_fname(T.top .. '/units/fake/a.lua'), line = 2 },
        },
        { severity = 'error', text = 'unclosed: no end (line 3 of the answer)', line = 3 },
      },
    },
  })
  vim.cmd('write')
  T.note('1 done, 2 failed, 1 left out · undo: :Clada undo · report in register')
  restore()
  T.eq(#requests > 0, true)
  local list = vim.fn.getqflist({ title = 0, items = 0 })
  T.eq(list.title, 'clada')
  local shown = vim.tbl_map(function(item)
    local name = item.bufnr > 0 and vim.api.nvim_buf_get_name(item.bufnr):sub(#root + 2) or ''
    return { name, item.lnum, item.type, item.text }
  end, list.items)
  T.eq(shown, {
    { 'a.lua', 3, 'E', 'no_match: not found · Look.' },
    { '', 0, 'E', 'unclosed: no end (line 3 of the answer)' },
  })
  T.eq(vim.fn.getreg('+'), 'clada-report')
end)
