import { directiveDescriptions } from '../../../src/gateway/directives/descriptions.ts';
import { foreignDirectives } from '../../../src/gateway/directives/unknown-header.ts';
import type { Fate, HeliconeOperations } from './groups.ts';
import { heliconeHeaders } from './headers.ts';
import { heliconeOperations } from './operations.ts';

const answers: Readonly<Record<Fate, string>> = {
  here: 'here, same path and shape',
  elsewhere: 'by another name',
  later: 'not yet',
  refused: 'stays out',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function answerOf({ fate, sentence }: HeliconeOperations): string {
  return sentence === '' ? answers[fate] : `${answers[fate]}: ${sentence}`;
}

/** Where all paths of a group begin. */
function prefixesOf({ operations }: HeliconeOperations): string {
  const prefixes = operations.map((one) => one.split(' ')[1]?.split('/').slice(0, 3).join('/') ?? '');
  return [...new Set(prefixes)].map((prefix) => `\`${prefix}/…\``).join(', ');
}

function operationRows(group: HeliconeOperations): readonly (readonly string[])[] {
  if (group.fate === 'refused') {
    return [[group.group, `all ${group.operations.length}: ${prefixesOf(group)}`, answerOf(group)]];
  }
  if (group.fate === 'here') return group.operations.map((one) => [group.group, `\`${one}\``, answerOf(group)]);
  return [[group.group, group.operations.map((one) => `\`${one}\``).join(', '), answerOf(group)]];
}

function headerRow(suffix: string): readonly string[] {
  const name = `\`Helicone-${suffix.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())}\``;
  const without = foreignDirectives.get(suffix);
  return [name, without === undefined ? 'works' : `not carried out: ${without}`];
}

/** Every header of Helicone's gateway that this one does not know at all; none may be left. */
export function unansweredHeaders(): readonly string[] {
  return heliconeHeaders.filter((suffix) => !Object.hasOwn(directiveDescriptions, suffix) && !foreignDirectives.has(suffix));
}

function withFate(fate: Fate): readonly HeliconeOperations[] {
  return heliconeOperations.filter((group) => group.fate === fate);
}

function countOf(groups: readonly HeliconeOperations[]): number {
  return groups.reduce((sum, { operations }) => sum + operations.length, 0);
}

/** The tables of what becomes of Helicone's operations and headers, between the marks of a page. */
export function heliconeTables(page: string): string {
  const text = [
    `Of ${countOf(heliconeOperations)} operations ${countOf(withFate('here'))} are here, ${countOf(withFate('elsewhere'))} have another name, ${countOf(withFate('later'))} are not here yet and ${countOf(withFate('refused'))} stay out.`,
    table(['group', 'operation', 'here'], heliconeOperations.flatMap(operationRows)),
    'Headers of the gateway; `Helicone-Property-<Name>` works:',
    table(['header', 'here'], heliconeHeaders.map(headerRow)),
  ].join('\n\n');
  const [before = '', after = ''] = page.split(/<!-- generated -->[^]*<!-- end -->/, 2);
  return `${before}<!-- generated -->\n\n${text}\n\n<!-- end -->${after}`;
}
