import type { CallExpression, Node } from 'oxc-parser';
import { isTestFile, type Rule, sourceRule, type Violation } from '../rule.ts';
import { type SourceFile, stringOf, walk } from '../source.ts';

const suppression = /@ts-ignore|@ts-nocheck|\b(?:oxlint|eslint|biome|tslint)-(?:disable|ignore)|\b(?:v8|c8|istanbul) ignore\b/;

/** A check that is switched off in one place is no check. */
export const noSuppressions: Rule = sourceRule(
  { name: 'no suppressions', remedy: 'Fix the code; if the check is wrong everywhere, change its configuration and say why there.' },
  ({ comments, lineOf }) =>
    comments.flatMap(({ value, start }) => {
      const found = suppression.exec(value)?.[0];
      return found === undefined ? [] : [{ line: lineOf(start), what: `${found} silences a check` }];
    }),
);

const testFunctions: ReadonlySet<string> = new Set(['it', 'test', 'describe', 'suite', 'bench', 'context', 'ctx', 'skip']);
const redactedPlaceholder: ReadonlySet<string> = new Set(['skip', 'todo', 'skipIf', 'runIf', 'fails']);

/** A skipped test gives its reason; a focused test is not committed. */
export const reasonedSkips: Rule = sourceRule(
  { name: 'reasoned skips', remedy: 'Write `… because <reason>` into the name, or run the test.' },
  (source) => (isTestFile(source.path) ? outermostCalls(source).flatMap((call) => judgeCall(source, call)) : []),
);

/** What Playwright reads of a page in the moment, without waiting for what the test expects. */
const momentary: ReadonlySet<string> = new Set([
  'allInnerTexts',
  'allTextContents',
  'boundingBox',
  'count',
  'getAttribute',
  'innerHTML',
  'innerText',
  'inputValue',
  'isChecked',
  'isDisabled',
  'isEnabled',
  'isVisible',
  'textContent',
]);

/** A page is drawn in parts; what holds on a quiet machine is not there yet on a busy one. */
export const polledPages: Rule = sourceRule(
  { name: 'polled pages', remedy: 'Write `await expect.poll(() => …)`, which looks until it holds.' },
  (source) => {
    if (!source.path.startsWith('test/')) return [];
    const found: Omit<Violation, 'path'>[] = [];
    walk(source.program, (node, ancestors) => {
      const parent = ancestors.at(-1);
      const isExpected = parent?.type === 'CallExpression' && chainOf(parent.callee)[0] === 'expect';
      if (node.type !== 'AwaitExpression' || !isExpected || node.argument.type !== 'CallExpression') return;
      const [read, ...objects] = chainOf(node.argument.callee).toReversed();
      const isMomentary = read !== undefined && objects.length > 0 && momentary.has(read);
      if (isMomentary) found.push({ line: source.lineOf(node.start), what: `${read} is looked at once` });
    });
    return found;
  },
);

/** Calls that no further call continues: the whole of `it.skipIf(x)('name', f)`, not `it.skipIf(x)`. */
function outermostCalls({ program }: SourceFile): CallExpression[] {
  const calls: CallExpression[] = [];
  walk(program, (node, ancestors) => {
    const parent = ancestors.at(-1);
    const retries =
      (parent?.type === 'CallExpression' && parent.callee === node) || (parent?.type === 'MemberExpression' && parent.object === node);
    if (node.type === 'CallExpression' && !retries) calls.push(node);
  });
  return calls;
}

function judgeCall({ lineOf }: SourceFile, call: CallExpression): Omit<Violation, 'path'>[] {
  const chain = chainOf(call.callee);
  if (!testFunctions.has(chain[0] ?? '')) return [];
  const modifiers = [...chain.slice(chain[0] === 'skip' ? 0 : 1), ...call.arguments.flatMap(optionNames)];
  const line = lineOf(call.start);
  if (modifiers.includes('only')) return [{ line, what: 'only leaves all other tests out' }];
  const modifier = modifiers.find((name) => redactedPlaceholder.has(name));
  const reasoned = call.arguments.some((argument) => /\bbecause \S/.test(stringOf(argument) ?? ''));
  return modifier === undefined || reasoned ? [] : [{ line, what: `${modifier} without a reason` }];
}

/** The names in a callee from left to right: `it.skip.each([1])` → it, skip, each. */
function chainOf(callee: Node): string[] {
  switch (callee.type) {
    case 'Identifier':
      return [callee.name];
    case 'MemberExpression':
      return [...chainOf(callee.object), ...(callee.property.type === 'Identifier' ? [callee.property.name] : [])];
    case 'CallExpression':
      return chainOf(callee.callee);
    case 'TaggedTemplateExpression':
      return chainOf(callee.tag);
    default:
      return [];
  }
}

function optionNames(argument: Node): string[] {
  if (argument.type !== 'ObjectExpression') return [];
  return argument.properties.flatMap((each) => (each.type === 'Property' && each.key.type === 'Identifier' ? [each.key.name] : []));
}
