import type { Node } from 'oxc-parser';
import { limits } from '../law.ts';
import type { Rule, Violation } from '../rule.ts';
import { type SourceFile, walk } from '../source.ts';
import type { Tree } from '../tree.ts';

const map = 'ARCHITECTURE.md';
const stopPattern = /^(\d+)\. `(?:(\w+)\.)?(\w+)` in `([^`]+)`/;

/** A step of a way that the map lists: a function, or a method with its class. */
interface Stop {
  readonly number: number;
  readonly owner: string | undefined;
  readonly name: string;
  readonly path: string;
  readonly line: number;
}

/** Whoever reads the map can follow a way in an editor, from each function to the one that it calls. */
export const followedWays: Rule = {
  name: 'followed ways',
  remedy: 'Name the functions of the way, each with its file, in the order in which they call each other.',
  find: (tree) => {
    const stops = stopsOf(tree.files.get(map) ?? '');
    return stops.flatMap((stop, index): readonly Violation[] => {
      const next = stops.at(index + 1);
      const follower = next?.number === stop.number + 1 ? next : undefined;
      const problem = stop.number > limits.stops ? `the limit is ${limits.stops} stops` : problemOf(tree, stop, follower);
      return problem === undefined ? [] : [{ path: map, line: stop.line, what: problem }];
    });
  },
};

function stopsOf(markdown: string): readonly Stop[] {
  return markdown.split('\n').flatMap((text, index) => {
    const [, number, owner, name, path] = stopPattern.exec(text) ?? [];
    return name === undefined || path === undefined ? [] : [{ number: Number(number), owner, name, path, line: index + 1 }];
  });
}

function problemOf({ sources }: Tree, { owner, name, path }: Stop, next: Stop | undefined): string | undefined {
  const source = sources.find((one) => one.path === path);
  const body = source === undefined ? undefined : declared(source, owner, name);
  if (body === undefined) return `${path} declares no ${owner === undefined ? name : `${owner}.${name}`}`;
  return next === undefined || calls(body, next.name) ? undefined : `${name} does not call ${next.name}`;
}

/** A function of the file, or a method of a class of it; a function that a variable holds is none. */
function declared({ program }: SourceFile, owner: string | undefined, name: string): Node | undefined {
  const declarations = program.body.map((statement): Node | null =>
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement,
  );
  if (owner === undefined) return declarations.find((one) => one?.type === 'FunctionDeclaration' && one.id?.name === name) ?? undefined;
  return declarations
    .flatMap((one) => (one?.type === 'ClassDeclaration' && one.id?.name === owner ? one.body.body : []))
    .find((member) => member.type === 'MethodDefinition' && member.key.type === 'Identifier' && member.key.name === name);
}

function calls(body: Node, name: string): boolean {
  let isFound = false;
  walk(body, (node) => {
    if (node.type !== 'CallExpression') return;
    const { callee } = node;
    const called = callee.type === 'MemberExpression' ? callee.property : callee;
    isFound ||= called.type === 'Identifier' && called.name === name;
  });
  return isFound;
}
