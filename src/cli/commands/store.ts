import { textTable } from '../../config/text-table.ts';
import {
  storePartAsideAnswerSchema,
  storePartCheckAnswerSchema,
  type StorePartItem,
  storePartsAnswerSchema,
} from '../../contract/operator.ts';
import type { CommandContext } from '../base/dependencies.ts';
import { CommandError } from '../base/dependencies.ts';
import { operatorClient } from '../base/operator-client.ts';
import { jsonText } from '../base/json.ts';

export interface StoreCheckOptions {
  readonly json?: true;
}

interface FoundPart extends StorePartItem {
  readonly state: 'damaged' | 'lost';
  readonly reason: string;
}

const header = ['PART', 'ROWS', 'STATE', 'REASON'];
const rowWords: Readonly<Record<string, string>> = {
  requests: 'requests',
  bodies: 'bodies of requests',
  changes: 'entries in histories of requests',
  session_tags: 'tags of sessions',
  session_changes: 'changes of sessions',
};

/** `gatelog store check`: reads every file of the store and lists damaged parts. @throws CommandError when there are any. */
export async function checkStore(context: CommandContext, { json }: StoreCheckOptions): Promise<void> {
  const client = operatorClient(context);
  const { in_use: parts, lost } = await client.ask({ method: 'GET', path: '/store/parts' }, storePartsAnswerSchema);
  const found: FoundPart[] = lost.map((part) => ({ ...part, state: 'lost', reason: 'could not be loaded when the service started' }));
  try {
    for (const [index, part] of parts.entries()) {
      const body = { table: part.table, part: part.part };
      const { outcome, reason } = await client.ask({ method: 'POST', path: '/store/check', body }, storePartCheckAnswerSchema);
      if (outcome === 'damaged') found.push({ ...part, state: 'damaged', reason: reason ?? '' });
      context.progress(`Read ${index + 1} of ${parts.length} parts`);
    }
  } finally {
    context.progress('');
  }
  if (json === true) context.print(jsonText({ checked: parts.length, damaged: found }, 2));
  else if (found.length > 0) context.print(textTable([header, ...found.map(rowOf)]));
  if (found.length === 0) {
    context.hint(`All ${parts.length} parts of the store are whole.`);
    return;
  }
  throw new CommandError(
    `${found.length} of ${parts.length + lost.length} parts cannot be read. A backup from before has what is in them. "gatelog store set-aside PART" takes one out of the store, so that all else can be read, merged and removed; of a lost one it ends the warning.`,
  );
}

function rowOf({ table, part, rows, state, reason }: FoundPart): readonly string[] {
  return [`${table}/${part}`, rows === null ? 'unknown' : String(rows), state, reason];
}

/**
 * `gatelog store set-aside`: takes a damaged part out of the store and prints the folder with its files. @param given the part as `store
 * check` shows it.
 */
export async function setPartAside(context: CommandContext, given: string): Promise<void> {
  const [table, part, ...more] = given.split('/');
  if (table === undefined || part === undefined || more.length > 0) {
    throw new CommandError('Name the part as "gatelog store check" shows it: TABLE/PART.');
  }
  const aside = await operatorClient(context).ask(
    { method: 'POST', path: '/store/set-aside', body: { table, part } },
    storePartAsideAnswerSchema,
  );
  context.print(aside.folder);
  const rows = `${aside.rows ?? 'An unknown number of'} ${rowWords[table] ?? `rows of ${table}`}`;
  context.hint(
    `${rows} went with it and are in no answer any more. A backup from before the damage has them: "gatelog restore" makes a data folder of it.`,
  );
  context.hint(
    'The files are in the folder above, where no erasure and no retention reaches them: delete it when you have no more use for it.',
  );
}
