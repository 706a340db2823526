import { directiveDescriptions, responseHeaderDescriptions } from '../../../src/gateway/directives/descriptions.ts';
import { foreignDirectives } from '../../../src/gateway/directives/unknown-header.ts';
import type { Fate, HeliconeOperations } from './groups.ts';
import { titled } from '../reference-pages.ts';
import { heliconeHeaders, heliconeResponseHeaders } from './headers.ts';
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

function operationRows(group: HeliconeOperations): readonly (readonly string[])[] {
  return group.operations.map((operation) => [group.group, `\`${operation}\``, answerOf(group)]);
}

function headerRow(suffix: string): readonly string[] {
  const name = `\`Helicone-${titled(suffix)}\``;
  const without = foreignDirectives.get(suffix);
  return [name, without === undefined ? 'works' : `not carried out: ${without}`];
}

function responseHeaderRow([suffix, instead]: readonly [string, string]): readonly string[] {
  return [`\`helicone-${suffix}\``, instead === '' ? 'here' : `by another name: ${instead}`];
}

/** Response headers that are said to be here and are not, and the other way round; there may be none. */
export function wrongResponseHeaders(): readonly string[] {
  return Object.entries(heliconeResponseHeaders)
    .filter(([suffix, instead]) => Object.hasOwn(responseHeaderDescriptions, `svc-${suffix}`) !== (instead === ''))
    .map(([suffix]) => suffix);
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
    'Headers of its responses, which a call with any `Helicone-` header gets:',
    table(['header', 'here'], Object.entries(heliconeResponseHeaders).map(responseHeaderRow)),
  ].join('\n\n');
  const [before = '', after = ''] = page.split(/<!-- generated -->[^]*<!-- end -->/, 2);
  return `${before}<!-- generated -->\n\n${text}\n\n<!-- end -->${after}`;
}
