import type { ArrowFunctionExpression, Function as FunctionWithName, Node } from 'oxc-parser';
import { defaultExports, emptyNames, limits } from '../law.ts';
import { boundPrefixes, mayBeVague, standardTerms, vagueWords } from '../terms.ts';
import { type Rule, sourceRule, type Violation } from '../rule.ts';
import { type SourceFile, walk } from '../source.ts';

/** A file that only re-exports hides where things are and invites cycles. */
export const noBarrels: Rule = sourceRule(
  { name: 'no barrels', remedy: 'Import from the file that declares the thing.' },
  ({ program, lineOf }) => {
    const star = program.body.find((statement) => statement.type === 'ExportAllDeclaration');
    if (star !== undefined) return [{ line: lineOf(star.start), what: 'export * passes on another file' }];
    const passesOn =
      program.body.length > 0 && program.body.every((each) => isImport(each) || isBareExport(each)) && program.body.some(isBareExport);
    return passesOn ? [{ line: 1, what: 'the file declares nothing and only re-exports' }] : [];
  },
);

function isImport(statement: Node): boolean {
  return statement.type === 'ImportDeclaration';
}

function isBareExport(statement: Node): boolean {
  return statement.type === 'ExportNamedDeclaration' && statement.declaration === null && statement.specifiers.length > 0;
}

/** A thing has one name everywhere, so it is exported under that name. */
export const noDefaultExports: Rule = sourceRule(
  { name: 'no default exports', remedy: 'Export it by name, or list the tool that asks for a default in test/tidy/law.ts.' },
  ({ path, program, lineOf }) =>
    path in defaultExports
      ? []
      : program.body.filter(exportsDefault).map(({ start }) => ({ line: lineOf(start), what: 'a default export has no name of its own' })),
);

function exportsDefault(statement: Node): boolean {
  if (statement.type === 'ExportDefaultDeclaration' || statement.type === 'TSExportAssignment') return true;
  return (
    statement.type === 'ExportNamedDeclaration' &&
    statement.specifiers.some(({ exported }) => exported.type === 'Identifier' && exported.name === 'default')
  );
}

/** `0010-to-0019`: numbers that happen to stand beside each other. */
const range = /^\d+-(?:to-)?\d+$/;

/** No file or folder has an empty name; the last word counts, as in `text-utils.ts`. */
export const tellingNames: Rule = {
  name: 'telling names',
  remedy: 'Name it after what it holds.',
  find: ({ files }) =>
    [...files.keys()].flatMap((path) => {
      const names = path.split('/').map((part) => part.replace(/\..*$/, '').split(/[-_]/).at(-1) ?? '');
      const empty = names.find((name) => emptyNames.has(name.toLowerCase())) ?? path.split('/').find((part) => range.test(part));
      return empty === undefined ? [] : [{ path, line: 1, what: `${empty} says nothing` }];
    }),
};

/** Exports have the names that a reader would search for. */
export const searchedNames: Rule = sourceRule(
  { name: 'standard terms', remedy: "Take the field's term: test/tidy/terms.ts names it." },
  ({ path, program, lineOf }) =>
    path.startsWith('src/') ? program.body.flatMap((statement) => privateTerms(statement, path, lineOf)) : [],
);

function privateTerms(statement: Node, path: string, lineOf: (offset: number) => number): Omit<Violation, 'path'>[] {
  return exportedNames(statement).flatMap((name) => {
    const line = lineOf(statement.start);
    const term = standardTermOf(name);
    if (term !== undefined) return [{ line, what: `${name} is called ${term}` }];
    const word = mayBeVague.test(path) ? undefined : vagueWordOf(name);
    return word === undefined ? [] : [{ line, what: `"${word}" in ${name} means one of: ${vagueWords[word]}` }];
  });
}

function standardTermOf(name: string): string | undefined {
  if (Object.hasOwn(standardTerms, name)) return standardTerms[name];
  const [, first = '', rest = ''] = /^([a-z]+)([A-Z].*)$/.exec(name) ?? [];
  return Object.hasOwn(boundPrefixes, first) ? `${boundPrefixes[first]}${rest}` : undefined;
}

function vagueWordOf(name: string): string | undefined {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.find((word) => Object.hasOwn(vagueWords, word));
}

function exportedNames(statement: Node): readonly string[] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return [];
  const { declaration } = statement;
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  }
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

/** Members of a class are hidden in one way: decision 6 says why in this one. */
export const hiddenMembers: Rule = sourceRule(
  { name: 'hidden members', remedy: 'Write `private` instead of `#`.' },
  ({ path, program, lineOf }) => {
    if (!/\.tsx?$/.test(path)) return [];
    const found: { line: number; what: string }[] = [];
    walk(program, (node, ancestors) => {
      const isMember =
        node.type === 'PrivateIdentifier' &&
        /^(?:PropertyDefinition|MethodDefinition|AccessorProperty)$/.test(ancestors.at(-1)?.type ?? '');
      if (isMember) found.push({ line: lineOf(node.start), what: `#${node.name} is hidden at run time` });
    });
    return found;
  },
);

/** Files stay short. */
export const fileLength: Rule = sourceRule({ name: 'file length', remedy: 'Split it where the story has a seam.' }, ({ text }) => {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > limits.fileLines ? [{ line: limits.fileLines + 1, what: `${lines} lines, the limit is ${limits.fileLines}` }] : [];
});

/** Functions stay short, except in test files, where blocks are chapters. */
export const functionLength: Rule = sourceRule(
  { name: 'function length', remedy: 'Split it into stages, or turn its cases into rows of a table.' },
  (source) => (/(\.test|-suite)\.tsx?$/.test(source.path) ? [] : functionsOf(source).flatMap((each) => tooLong(source, each))),
);

function tooLong({ lineOf }: SourceFile, { node, name }: NamedFunction): Omit<Violation, 'path'>[] {
  const lines = lineOf(node.end) - lineOf(node.start) + 1;
  if (lines <= limits.functionLines) return [];
  return [{ line: lineOf(node.start), what: `${name} has ${lines} lines, the limit is ${limits.functionLines}` }];
}

/** Functions have few parameters; further ones belong into an object. */
export const parameterCount: Rule = sourceRule({ name: 'parameter count', remedy: 'Pass one object with named fields.' }, (source) =>
  functionsOf(source).flatMap(({ node, name }) => {
    const count = node.params.filter((parameter) => !(parameter.type === 'Identifier' && parameter.name === 'this')).length;
    if (count <= limits.parameters) return [];
    return [{ line: source.lineOf(node.start), what: `${name} takes ${count}, the limit is ${limits.parameters}` }];
  }),
);

type FunctionNode = FunctionWithName | ArrowFunctionExpression;

interface NamedFunction {
  readonly node: FunctionNode;
  readonly name: string;
}

function functionsOf({ program }: SourceFile): NamedFunction[] {
  const found: NamedFunction[] = [];
  walk(program, (node, ancestors) => {
    if (!isFunction(node)) return;
    const parent = ancestors.at(-1);
    found.push({ node, name: nameOf(node) ?? (parent === undefined ? undefined : nameOf(parent)) ?? 'a function' });
  });
  return found;
}

function isFunction(node: Node): node is FunctionNode {
  return node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

/** The name that a node gives to its function. */
function nameOf(node: Node): string | undefined {
  const named = 'id' in node ? node.id : 'key' in node ? node.key : undefined;
  return named !== null && typeof named === 'object' && 'name' in named && typeof named.name === 'string' ? named.name : undefined;
}
