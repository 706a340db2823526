import { type Comment, type Node, parseSync, type Program, visitorKeys } from 'oxc-parser';

/** One way in which a file names another module: a static, dynamic or type import, or a re-export. */
export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly names: readonly string[];
  readonly line: number;
}

/** A parsed file of our own. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly imports: readonly Import[];
  readonly lineOf: (offset: number) => number;
}

/** Receives a node and its ancestors, innermost last; the list is only valid during the call. */
export type Visit = (node: Node, ancestors: readonly Node[]) => void;

/** Parses one file. @throws when the text is not TypeScript (or JavaScript), with the parser's first message. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  const error = errors[0];
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const lineOf = lineCounter(text);
  return { path, text, program, comments, imports: importsOf(program, lineOf), lineOf };
}

/** Visits a node and everything below it, parents first. */
export function walk(node: Node, visit: Visit, ancestors: Node[] = []): void {
  visit(node, ancestors);
  ancestors.push(node);
  eachChild(node, (child) => walk(child, visit, ancestors));
  ancestors.pop();
}

/** The child nodes in the order of the text. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  eachChild(node, (child) => children.push(child));
  return children;
}

/** Without a list for each node: rules go through the nodes of the whole tree. */
function eachChild(node: Node, visit: (child: Node) => void): void {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  for (const key of visitorKeys[node.type] ?? []) {
    const field = fields[key];
    if (Array.isArray(field)) {
      for (const child of field as readonly unknown[]) if (isNode(child)) visit(child);
    } else if (isNode(field)) visit(field);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    // How many lines start at the offset or before it.
    let [from, to] = [0, starts.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((starts[middle] ?? 0) > offset) to = middle;
      else from = middle + 1;
    }
    return from;
  };
}

function importsOf(program: Program, lineOf: (offset: number) => number): Import[] {
  const imports: Import[] = [];
  walk(program, (node) => {
    const found = importOf(node);
    if (found !== undefined) imports.push({ ...found, line: lineOf(node.start) });
  });
  return imports;
}

function importOf(node: Node): Omit<Import, 'line'> | undefined {
  switch (node.type) {
    case 'ImportDeclaration': {
      const names = node.specifiers.map((each) => (each.type === 'ImportSpecifier' ? textOfName(each.imported) : '*'));
      const kinds = node.specifiers.map((each) => each.type === 'ImportSpecifier' && each.importKind === 'type');
      return { specifier: node.source.value, names, typeOnly: node.importKind === 'type' || allTrue(kinds) };
    }
    case 'ExportNamedDeclaration': {
      if (node.source === null) return undefined;
      const names = node.specifiers.map((each) => textOfName(each.local));
      const kinds = node.specifiers.map((each) => each.exportKind === 'type');
      return { specifier: node.source.value, names, typeOnly: node.exportKind === 'type' || allTrue(kinds) };
    }
    case 'ExportAllDeclaration':
      return { specifier: node.source.value, names: ['*'], typeOnly: node.exportKind === 'type' };
    case 'TSImportType':
      return { specifier: node.source.value, names: ['*'], typeOnly: true };
    case 'ImportExpression':
      return requested(node.source);
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'require' ? requested(node.arguments[0]) : undefined;
    default:
      return undefined;
  }
}

function requested(node: Node | undefined): Omit<Import, 'line'> | undefined {
  const specifier = node === undefined ? undefined : stringOf(node);
  return specifier === undefined ? undefined : { specifier, names: ['*'], typeOnly: false };
}

function textOfName(node: Node): string {
  return node.type === 'Identifier' ? node.name : (stringOf(node) ?? '*');
}

/** The text of a string literal or of a template's fixed parts. @returns undefined for any other node. */
export function stringOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateLiteral' ? node.quasis.map((quasi) => quasi.value.raw).join('…') : undefined;
}

function allTrue(kinds: readonly boolean[]): boolean {
  return kinds.length > 0 && kinds.every(Boolean);
}
