import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { answerRows, answerTable, asJson, type MetricsOptions, questionOf } from './metrics.ts';
import { type Report, type ReportName, reportNames, reports } from './reports.ts';

/** `gatelog report`: all reports, or one; options replace those of the report. */
export async function showReport(dependencies: CommandDependencies, name: ReportName | undefined, options: MetricsOptions): Promise<void> {
  const { hint, print, columns } = dependencies;
  const asked = { client: serviceClient(dependencies), hint: oncePerSentence(hint) };
  const isOwn = name === undefined && (options.by !== undefined || options.metric !== undefined);
  const names: readonly ReportName[] = isOwn ? ['cost'] : name === undefined ? reportNames : [name];
  const now = dependencies.now();
  if (options.json === true) {
    const answers: [ReportName, unknown][] = [];
    for (const one of names) answers.push([one, await answerRows(asked, questionFor(one, options, now))]);
    // Of a single one the rows alone, as `gatelog metrics` writes them.
    print(asJson(answers.length === 1 ? answers[0]?.[1] : Object.fromEntries(answers)));
    return;
  }
  for (const [index, one] of names.entries()) {
    const question = questionFor(one, options, now);
    const text = await answerTable(asked, question, columns);
    print(`${index === 0 ? '' : '\n'}${isOwn ? 'Report' : reports[one].title}, ${spanText(question)}\n${text}`);
  }
}

/** Several reports of one span have the same to say about it. */
function oncePerSentence(hint: CommandDependencies['hint']): CommandDependencies['hint'] {
  const told = new Set<string>();
  return (sentence) => {
    if (!told.has(sentence)) hint(sentence);
    told.add(sentence);
  };
}

/** The question of a report with the caller's options; its own filter holds beside the caller's. */
function questionFor(name: ReportName, options: MetricsOptions, now: number): ReturnType<typeof questionOf> {
  const own: MetricsOptions = (reports[name] as Report).options;
  const joined = own.filter === undefined || options.filter === undefined ? {} : { filter: bothFilters(own.filter, options.filter) };
  return questionOf({ ...own, ...options, ...joined }, now);
}

function bothFilters(one: string, other: string): string {
  return other === 'all' ? one : `{"left":${one},"operator":"and","right":${other}}`;
}

function spanText({ startTimeUnixMs: from, endTimeUnixMs: to }: ReturnType<typeof questionOf>): string {
  const since = from === undefined ? 'of all time' : `since ${new Date(from).toISOString()}`;
  return to === undefined ? since : `${since} until ${new Date(to + 1).toISOString()}`;
}
