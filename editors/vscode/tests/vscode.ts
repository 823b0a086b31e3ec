/**
 * The calls of the editor that the extension makes, by hand: documents as VS Code holds them (one line end, no byte
 * order mark, an undo stack), and what the person is shown. `person` is what a test does and sees.
 */

import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const version = '1.90.0';
export enum EndOfLine { LF = 1, CRLF = 2 }
export enum StatusBarAlignment { Left = 1, Right = 2 }
export enum ProgressLocation { SourceControl = 1, Window = 10, Notification = 15 }
export enum TreeItemCollapsibleState { None, Collapsed, Expanded }
export enum TreeItemCheckboxState { Unchecked, Checked }
export enum DiagnosticSeverity { Error, Warning, Information, Hint }

export class Uri {
  private constructor(readonly scheme: string, readonly path: string) {}
  static file(file: string): Uri { return new Uri('file', file); }
  static from({ scheme, path: name }: { scheme: string; path: string }): Uri { return new Uri(scheme, name); }
  static parse(text: string): Uri {
    return text.startsWith('file:') ? Uri.file(fileURLToPath(text)) : new Uri(text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1));
  }
  static joinPath(uri: Uri, ...parts: string[]): Uri { return new Uri(uri.scheme, path.join(uri.path, ...parts)); }
  get fsPath(): string { return this.path; }
  toString(): string { return this.scheme === 'file' ? pathToFileURL(this.path).href.replaceAll(':', '%3A').replace('file%3A', 'file:') : `${this.scheme}:${this.path}`; }
}

export class Position {
  constructor(readonly line: number, readonly character: number) {}
}
export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: number | Position, first: number | Position, line?: number, character?: number) {
    this.start = typeof start === 'number' ? new Position(start, first as number) : start;
    this.end = typeof start === 'number' ? new Position(line!, character!) : first as Position;
  }
  get isEmpty(): boolean { return this.start.line === this.end.line && this.start.character === this.end.character; }
}
export class Selection extends Range {}
export class ThemeIcon { constructor(readonly id: string) {} }
export class TreeItem {
  constructor(readonly label: string, readonly collapsibleState: TreeItemCollapsibleState) {}
}
export class CodeLens {
  constructor(readonly range: Range, readonly command: { title: string; command: string; arguments?: unknown[] }) {}
}
export class TabInputText { constructor(readonly uri: Uri) {} }
export class TabInputTextDiff { constructor(readonly original: Uri, readonly modified: Uri) {} }
export class Diagnostic {
  constructor(readonly range: Range, readonly message: string, readonly severity: DiagnosticSeverity) {}
}
export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value: T): void { this.listeners.forEach((listener) => listener(value)); }
}
export class CancellationTokenSource {
  private readonly emitter = new EventEmitter<void>();
  token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.emitter.fire();
  }
  dispose(): void {}
}

function split(text: string): string[] { return text.split(/\r\n|\r|\n/); }

/** A document as VS Code holds it. */
export class Document {
  version = 1;
  isDirty = false;
  isClosed = false;
  eol = EndOfLine.LF;
  mark = false;
  saves = 0;
  languageId = 'plaintext';
  private text = '';
  private readonly past: string[] = [];
  private future: string[] = [];
  private typing = false;
  constructor(readonly uri: Uri) { this.load(); }

  /** Reads the file anew, as the editor does with an unmodified document when its file changed. */
  load(): void {
    const all = this.uri.scheme === 'file' ? fs.readFileSync(this.uri.fsPath, 'utf8') : '';
    this.mark = all.startsWith('\ufeff');
    const text = all.replace('\ufeff', '');
    const ends = text.match(/\r\n|\r|\n/g) ?? [];
    this.eol = ends.filter((end) => end !== '\n').length > ends.length / 2 ? EndOfLine.CRLF : EndOfLine.LF;
    const held = split(text).join(this.end);
    if (held !== this.text) {
      this.text = held;
      this.version += 1;
    }
  }
  get lineCount(): number { return split(this.text).length; }
  private get end(): string { return this.eol === EndOfLine.CRLF ? '\r\n' : '\n'; }
  getText(range?: Range): string { return range ? this.text.slice(this.offset(range.start), this.offset(range.end)) : this.text; }
  private offset({ line, character }: Position): number {
    return split(this.text).slice(0, line).reduce((sum, each) => sum + each.length + this.end.length, 0) + character;
  }
  positionAt(offset: number): Position {
    const before = split(this.text.slice(0, offset));
    return new Position(before.length - 1, before.at(-1)!.length);
  }
  validateRange({ start, end }: Range): Range {
    const all = split(this.text);
    const valid = ({ line, character }: Position) => line >= all.length
      ? new Position(all.length - 1, all.at(-1)!.length) : new Position(line, Math.min(character, all[line]!.length));
    return new Range(valid(start), valid(end));
  }
  private set(text: string, isTyping: boolean): void {
    if (!isTyping || !this.typing) {
      this.past.push(this.text);
    }
    this.typing = isTyping;
    this.future = [];
    this.text = split(text).join(this.end);
    this.version += 1;
    this.isDirty = true;
  }
  type(at: number, length: number, text: string): void {
    this.set(this.text.slice(0, at) + text + this.text.slice(at + length), true);
  }
  edit(edits: { range: Range; text: string }[], eol = this.eol): void {
    const places = edits.map(({ range, text }) => ({ from: this.offset(range.start), to: this.offset(range.end), text }));
    let { text } = this;
    for (const place of places.sort((a, b) => b.from - a.from || b.to - a.to)) {
      text = text.slice(0, place.from) + place.text + text.slice(place.to);
    }
    this.eol = eol;
    this.set(text, false);
  }
  undo(): void {
    this.future.push(this.text);
    this.text = this.past.pop()!;
    this.typing = false;
    this.version += 1;
  }
  redo(): void {
    this.past.push(this.text);
    this.text = this.future.pop()!;
    this.version += 1;
  }
  async save(): Promise<boolean> {
    person.beforeSave?.(this);
    fs.mkdirSync(path.dirname(this.uri.fsPath), { recursive: true });
    fs.writeFileSync(this.uri.fsPath, (this.mark ? '\ufeff' : '') + this.text);
    this.isDirty = false;
    this.saves += 1;
    return true;
  }
}

export class TextEdit {
  constructor(readonly range: Range | undefined, readonly newText: string, readonly newEol?: number) {}
  static replace(range: Range, text: string): TextEdit { return new TextEdit(range, text); }
  static setEndOfLine(eol: number): TextEdit { return new TextEdit(undefined, '', eol); }
}

export class WorkspaceEdit {
  readonly edits: { uri: Uri; range: Range; text: string }[] = [];
  readonly ends = new Map<string, number>();
  replace(uri: Uri, range: Range, text: string): void { this.edits.push({ uri, range, text }); }
  set(uri: Uri, edits: TextEdit[]): void {
    for (const { range, newText, newEol } of edits) {
      if (range) {
        this.replace(uri, range, newText);
      } else if (newEol !== undefined) {
        this.ends.set(uri.toString(), newEol);
      }
    }
  }
}

/** What the test does as the person, and what the person was shown. */
export const person = {
  notices: [] as string[],
  modals: [] as string[],
  /** Answers a notice, dialog or list: a button or label, or nothing. */
  answer: (_shown: string, _choices: string[]): string | undefined => undefined,
  clipboard: '',
  settings: {} as Record<string, unknown>,
  workspaceSettings: {} as Record<string, unknown>,
  output: '',
  diffs: [] as unknown[][],
  shown: [] as string[],
  status: undefined as { text: string; command: string } | undefined,
  progress: [] as { title: string; cancel: () => void }[],
  context: new Map<string, unknown>(),
  diagnostics: new Map<string, Diagnostic[]>(),
  tree: undefined as { provider: any; tick: EventEmitter<any>; selection: any[] } | undefined,
  provider: undefined as any,
  lenses: undefined as any,
  /** Called before edits are applied, and before a document is saved. */
  beforeEdit: undefined as (() => void) | undefined,
  beforeSave: undefined as ((document: Document) => void) | undefined,
  tabs: [] as any[],
  open: (file: string): Document => {
    const document = new Document(Uri.file(file));
    workspace.textDocuments.push(document);
    return document;
  },
  edit: (document: Document, selection = new Selection(0, 0, 0, 0)): void => {
    window.activeTextEditor = { document, selection };
  },
  reset: (): void => {
    Object.assign(person, { notices: [], modals: [], answer: () => undefined, clipboard: '', settings: {}, workspaceSettings: {}, output: '', diffs: [],
      shown: [], progress: [], tabs: [], beforeEdit: undefined, beforeSave: undefined });
    workspace.textDocuments = [];
    workspace.workspaceFolders = [];
    workspace.isTrusted = true;
    window.activeTextEditor = undefined;
    person.diagnostics.clear();
  },
};

async function notice(message: string, rest: any[]): Promise<string | undefined> {
  const modal = typeof rest[0] === 'object' ? rest.shift() : undefined;
  (modal ? person.modals : person.notices).push(modal ? `${message}\n${modal.detail}` : message);
  return person.answer(message, rest);
}
const disposable = { dispose: () => {} };
const nothing = () => disposable;
const registered = new Map<string, (...args: unknown[]) => unknown>();

export const commands = {
  registerCommand: (name: string, work: (...args: unknown[]) => unknown) => {
    registered.set(name, work);
    return { dispose: () => registered.delete(name) };
  },
  executeCommand: async (name: string, ...args: unknown[]) => {
    if (name === 'setContext') {
      person.context.set(args[0] as string, args[1]);
    } else if (name === 'vscode.diff') {
      person.diffs.push(args);
      person.tabs.push({ input: new TabInputTextDiff(args[0] as Uri, args[1] as Uri), isDirty: false, isActive: true });
    } else if (registered.has(name)) {
      return registered.get(name)!(...args);
    }
    return undefined;
  },
};

export const window = {
  activeTextEditor: undefined as { document: Document; selection: Selection } | undefined,
  tabGroups: {
    get all() { return [{ tabs: person.tabs, activeTab: person.tabs.find((tab) => tab.isActive), viewColumn: 1 }]; },
    close: async (tabs: any) => { person.tabs = person.tabs.filter((tab) => ![tabs].flat().includes(tab)); },
  },
  showInformationMessage: (message: string, ...rest: any[]) => notice(message, rest),
  showWarningMessage: (message: string, ...rest: any[]) => notice(message, rest),
  showErrorMessage: (message: string, ...rest: any[]) => notice(message, rest),
  setStatusBarMessage: (message: string) => {
    person.notices.push(message);
    return disposable;
  },
  showQuickPick: async (items: any[], _options: unknown) => {
    const labels = items.map((item) => item.label ?? item);
    const label = person.answer('pick', labels);
    return items[labels.indexOf(label)];
  },
  showWorkspaceFolderPick: async () => {
    const folders = workspace.workspaceFolders;
    return folders.find(({ name }) => name === person.answer('folder', folders.map((folder) => folder.name)));
  },
  createOutputChannel: () => ({
    append: (text: string) => { person.output += text; },
    appendLine: (text: string) => { person.output += `${text}\n`; },
    show: () => { person.shown.push('output'); },
    dispose: () => {},
  }),
  createStatusBarItem: () => ({
    text: '', command: '', name: '',
    show() { person.status = { text: this.text, command: this.command }; },
    hide() { person.status = undefined; },
    dispose() {},
  }),
  createTreeView: (_id: string, options: any) => {
    const tick = new EventEmitter<any>();
    person.tree = { provider: options.treeDataProvider, tick, selection: [] };
    return { onDidChangeCheckboxState: tick.event, get selection() { return person.tree!.selection; }, dispose: () => {} };
  },
  showTextDocument: async (what: any, _options?: unknown) => {
    const document = what instanceof Document ? what : await workspace.openTextDocument(what);
    person.shown.push(document.uri.toString());
    if (!person.tabs.some((tab) => tab.input.uri?.fsPath === document.uri.fsPath)) {
      person.tabs.push({ input: new TabInputText(document.uri), isDirty: false, isActive: true });
    }
    window.activeTextEditor = { document, selection: new Selection(0, 0, 0, 0) };
  },
  withProgress: async (options: any, work: any) => {
    const source = new CancellationTokenSource();
    person.progress.push({ title: options.title, cancel: () => source.cancel() });
    return work({ report: () => {} }, source.token);
  },
};

export const workspace = {
  textDocuments: [] as Document[],
  workspaceFolders: [] as { uri: Uri; name: string }[],
  isTrusted: true,
  fs: {
    isWritableFileSystem: (scheme: string) => ['file', 'vscode-vfs', 'sftp'].includes(scheme) ? true : undefined,
    stat: async (uri: Uri) => fs.promises.stat(uri.fsPath),
  },
  getConfiguration: (section: string) => ({
    inspect: (name: string) => {
      const manifest = JSON.parse(fs.readFileSync(path.join(process.env['CLADA_EDITORS']!, 'vscode/package.json'), 'utf8'));
      return {
        defaultValue: manifest.contributes.configuration.properties[`${section}.${name}`].default,
        globalValue: person.settings[name], workspaceValue: person.workspaceSettings[name],
      };
    },
    get: (name: string) => person.workspaceSettings[name] ?? person.settings[name],
  }),
  getWorkspaceFolder: (uri: Uri) => workspace.workspaceFolders.find((folder) => uri.fsPath.startsWith(`${folder.uri.fsPath}/`)),
  asRelativePath: (uri: Uri) => path.basename(uri.path),
  openTextDocument: async (uri: Uri) => {
    const there = workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === uri.toString());
    if (there) {
      return there;
    }
    const document = new Document(uri);
    if (uri.scheme === 'clada') {
      Object.assign(document, { text: person.provider.provideTextDocumentContent(uri) });
    }
    workspace.textDocuments.push(document);
    return document;
  },
  applyEdit: async (edit: WorkspaceEdit) => {
    const versions = new Map(workspace.textDocuments.map((document) => [document, document.version]));
    await new Promise((resolve) => setImmediate(resolve));
    person.beforeEdit?.();
    for (const uri of new Set(edit.edits.map((each) => each.uri.toString()))) {
      const document = workspace.textDocuments.find((each) => !each.isClosed && each.uri.toString() === uri);
      if (!document || document.version !== versions.get(document)) {
        return false;
      }
      document.edit(edit.edits.filter((each) => each.uri.toString() === uri), edit.ends.get(uri));
    }
    return true;
  },
  registerTextDocumentContentProvider: (_scheme: string, provider: unknown) => {
    person.provider = provider;
    return disposable;
  },
  onDidCloseTextDocument: nothing,
  onDidGrantWorkspaceTrust: nothing,
  onDidChangeWorkspaceFolders: nothing,
};

export const languages = {
  createDiagnosticCollection: () => ({
    clear: () => person.diagnostics.clear(),
    set: (uri: Uri, list: Diagnostic[]) => person.diagnostics.set(uri.fsPath, list),
    dispose: () => {},
  }),
  registerCodeLensProvider: (_selector: unknown, provider: any) => {
    person.lenses = provider;
    return disposable;
  },
  setTextDocumentLanguage: async (document: Document, language: string) => Object.assign(document, { languageId: language }),
};

export const env = {
  clipboard: {
    readText: async () => person.clipboard,
    writeText: async (text: string) => { person.clipboard = text; },
  },
};
