/** clada in VS Code: the commands, and what they are made of. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { After } from './after';
import { type Answer, answerOf, DIALECTS } from './answer';
import { Approvals } from './approvals';
import { Daemon } from './connection';
import { follow } from './documents';
import { addContext, embed, embedContext, stage } from './embed';
import { Flows } from './flow';
import { Lenses } from './lenses';
import { type McpEditor, offerServer } from './mcp';
import { count } from './plan';
import type { ExecuteEvent, FileHunk, ProjectEvent } from './protocol';
import { type Node, type Review, Reviews } from './review';
import { rootOf } from './root';
import { isTrusted, patient, setting, Status, tell, tellError, Texts, warn } from './status';
import { harmless, visible } from './text';
import { Undo } from './undo';

/** What other extensions can call. There is no way around the review. */
export interface Api {
  readonly daemon: Daemon;
  readonly reviews: Reviews;
  readonly undo: Undo;
  /** Takes a text as an answer to the review. */
  apply(root: string, text: string): Promise<void>;
  /** Puts a text in the place of the new lines of a hunk, in the review. */
  edit(review: Review, hunk: FileHunk, text: string): Promise<void>;
}

export function activate(context: vscode.ExtensionContext): Api {
  const output = vscode.window.createOutputChannel('Clada');
  const diagnostics = vscode.languages.createDiagnosticCollection('clada');
  const texts = new Texts();
  const refresh = () => status.refresh();

  const { version } = context.extension.packageJSON as { version: string };
  const daemon = new Daemon({
    name: `vscode ${vscode.version}`,
    version,
    programs: () => ({ client: setting('client'), daemon: setting('daemon'), socket: setting('socket') }),
    notified: (method, params) => notified(method, params),
    subscribed: (root) => void approvals.look(root).catch(() => undefined),
    changed: () => refresh(),
    slow: (method) => void vscode.window.setStatusBarMessage(`clada: no answer to ${method} yet; Clada: Restart the Daemon gives it up`, 5000),
  });
  const reviews = new Reviews(texts, refresh);
  const approvals = new Approvals(daemon, texts, refresh);
  const status = new Status(() => {
    const review = reviews.get();
    return { waiting: approvals.count, up: daemon.up, ...(review ? { review: count(review.model) } : {}) };
  });
  const undo = new Undo(daemon, (method) => {
    status.forgetUndo();
    // What failed of an answer is no problem of a project that has nothing of it.
    if (method === 'undo') {
      diagnostics.clear();
    }
  });
  const flows = new Flows(daemon, reviews, undo, new After(output, diagnostics, status, texts));
  const tree = vscode.window.createTreeView<Node>('clada.review', {
    treeDataProvider: reviews, manageCheckboxStateManually: true, showCollapseAll: true,
  });

  /** Tells what others did, and lets tabs follow what was moved. */
  async function others({ operationId, own, undoes, kind, root, files = [] }: ProjectEvent): Promise<void> {
    if (operationId && !own) {
      undo.forget(root, undoes);
      output.appendLine(visible(`Another program: ${kind} in ${root}: ${files.map((file) => file.path).join(', ')}`));
      for (const { oldPath, path: to } of files) {
        await (oldPath && follow(path.join(root, oldPath), path.join(root, to)));
      }
    }
  }

  function notified(method: string, params: unknown): void {
    if (method === 'event') {
      const event = params as ProjectEvent;
      if (event.kind === 'executed' || event.kind === 'undone') {
        void others(event).catch(tellError);
      } else {
        approvals.on(event);
      }
    } else if (method === 'execute.event') {
      const event = params as ExecuteEvent;
      output.append(event.kind === 'started' ? `task ${event.task} runs\n` : visible(event.text ?? ''));
    } else if (method === 'waiting') {
      void vscode.window.setStatusBarMessage('clada: waiting for another operation in the project', 5000);
    }
  }

  async function apply(from: 'anywhere' | 'clipboard', more: Pick<Answer, 'dialect' | 'to'> = {}): Promise<void> {
    const root = await rootOf(daemon);
    const answer = root === undefined ? undefined : await answerOf(daemon, root, from);
    if (root !== undefined && answer) {
      await flows.start(root, { ...answer, ...more }, setting('review'));
    } else if (root !== undefined) {
      void tell('the clipboard is empty');
    }
  }

  /** The review that a command is about: the one that was clicked, else the only one, else the one that is chosen. */
  async function reviewOf(node: unknown) {
    const clicked = reviews.all.find((review) => review === (node as Node | undefined)?.review);
    if (clicked ?? reviews.all.length < 2) {
      return clicked ?? reviews.get();
    }
    const items = reviews.all.map((review) => ({ label: harmless(path.basename(review.flow.root)), description: harmless(review.flow.root), review }));
    return (await vscode.window.showQuickPick(items, { placeHolder: 'The review that is meant' }))?.review;
  }

  /** The node that has the keyboard: the editor only says what is selected, so it is selected, or no longer. */
  async function focused(): Promise<Node | undefined> {
    const before = tree.selection;
    await vscode.commands.executeCommand('list.toggleSelection');
    const now = tree.selection;
    return now.find((each) => !before.includes(each)) ?? before.find((each) => !now.includes(each));
  }

  /** Documents in which the new lines of a hunk are edited. */
  const editing = new Map<string, { review: Review; hunk: FileHunk }>();
  const inRoot = async (work: (root: string) => Promise<unknown>) => {
    const root = await rootOf(daemon);
    return root === undefined ? undefined : work(root);
  };
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    apply: () => apply('anywhere'),
    applyClipboard: () => apply('clipboard'),
    applyAs: async () => {
      const placeHolder = 'What the answer is read as: whole_file, if it lists whole files under their names';
      const dialect = await vscode.window.showQuickPick(DIALECTS, { placeHolder });
      return dialect && apply(vscode.window.activeTextEditor?.selection.isEmpty === false ? 'anywhere' : 'clipboard', { dialect });
    },
    applyTo: () => {
      const document = vscode.window.activeTextEditor?.document;
      return document?.uri.scheme === 'file' ? apply('clipboard', { to: document.uri.fsPath }) : tell('no file is open here');
    },
    carryOut: async (node) => {
      const review = await reviewOf(node);
      return review ? flows.carryOut(review) : tell('there is nothing to review');
    },
    discard: async (node) => {
      const review = await reviewOf(node);
      if (review) {
        reviews.close(review.flow.root);
        await daemon.call('plan.drop', { root: review.flow.root, planId: review.model.plan.planId });
      }
    },
    open: (node) => reviews.all.includes((node as Node | undefined)?.review as never) ? reviews.show(node as Node) : undefined,
    toggleHunk: async (node) => {
      const target = (node as Node | undefined) ?? await focused();
      if (target && reviews.all.includes(target.review)) {
        reviews.toggle(target);
      }
    },
    editHunk: async (node) => {
      const { review, kind } = node as Node;
      const [hunk] = kind === 'hunks' ? (node as Node & { kind: 'hunks' }).hunks : [];
      const reason = hunk ? hunk.notEditable : 'there is no hunk here';
      if (reason || !hunk || !reviews.all.includes(review)) {
        return warn(reason ?? 'this review is over');
      }
      const { file } = (node as Node & { kind: 'hunks' }).shown;
      const held = review.flow.places.get(file);
      const content = hunk.added.join('').replaceAll('\r\n', '\n');
      const document = await vscode.workspace.openTextDocument({ content, ...(held ? { language: held.document.languageId } : {}) });
      editing.set(document.uri.toString(), { review, hunk });
      await vscode.commands.executeCommand('setContext', 'clada.editing', true);
      return vscode.window.showTextDocument(document, { preview: false });
    },
    useLines: async () => {
      const document = vscode.window.activeTextEditor?.document;
      const edited = document && editing.get(document.uri.toString());
      if (!document || !edited) {
        return warn('this document is no hunk that is edited');
      }
      const text = document.getText();
      editing.delete(document.uri.toString());
      await vscode.commands.executeCommand('setContext', 'clada.editing', editing.size > 0);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      return reviews.all.includes(edited.review) ? flows.edit(edited.review, edited.hunk, text) : warn('this review is over');
    },
    undo: () => inRoot(async (root) => reviews.get(root)?.running ? warn('an answer is being applied: cancel it, or wait') : undo.run('undo', root)),
    redo: () => inRoot((root) => undo.run('redo', root)),
    history: () => inRoot((root) => undo.history(root, (id, diff) => texts.show(`/operation/${id}.diff`, diff, 'diff'))),
    copyReport: async () => {
      const review = reviews.get();
      return flows.after.copyReport(review && await flows.report(review.flow));
    },
    embed: (uri, uris) => embed(daemon, uri, uris),
    embedContext: () => embedContext(daemon),
    addContext: (uri, uris) => addContext(daemon, uri, uris),
    stage: () => stage(daemon),
    approve: () => approvals.answer(),
    showLog: async () => {
      const { logFile } = await daemon.call('status', {});
      return logFile ? vscode.window.showTextDocument(vscode.Uri.file(logFile), { preview: true }) : output.show();
    },
    restart: async () => {
      if (isTrusted('restarting')) {
        await patient('restarting', () => daemon.restart());
        const { version, pid } = await patient('starting', (token) => daemon.call('status', {}, token));
        void tell(`daemon ${version} runs, process ${pid}`);
      }
    },
  };
  const registered = Object.entries(commands).map(([name, work]) => vscode.commands.registerCommand(`clada.${name}`, async (...args) => {
    try {
      await work(...args);
    } catch (error) {
      tellError(error);
    }
  }));

  /** Listens for approvals where a project is set up for clada. */
  async function listen(): Promise<void> {
    const folders = vscode.workspace.isTrusted ? vscode.workspace.workspaceFolders ?? [] : [];
    for (const { uri } of folders.filter((folder) => folder.uri.scheme === 'file')) {
      const isThere = await vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, '.clada')).then(() => true, () => false);
      if (isThere) {
        await daemon.call('status', {});
        daemon.subscribe(uri.fsPath);
      }
    }
  }
  const listening = () => void listen().catch((error: unknown) => output.appendLine(visible(String(error))));
  listening();

  const server = offerServer(vscode as unknown as McpEditor, version, () => setting('daemon'), () => vscode.workspace.isTrusted);
  context.subscriptions.push(
    ...(server ? [server] : []), output, diagnostics, status, daemon, tree, ...registered,
    vscode.workspace.registerTextDocumentContentProvider('clada', texts),
    vscode.languages.registerCodeLensProvider({ scheme: 'file' }, new Lenses(reviews)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      texts.forget(uri);
      editing.delete(uri.toString());
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(listening),
    vscode.workspace.onDidChangeWorkspaceFolders(listening),
    tree.onDidChangeCheckboxState(({ items }) => reviews.tick(items)),
  );
  return { daemon, reviews, undo, edit: (review, hunk, text) => flows.edit(review, hunk, text), apply: (root, text) => flows.start(root, { text, source: 'another extension' }, true) };
}
