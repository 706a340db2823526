import type { Answer, Reply } from './connection.ts';
import { ApiError } from './error.ts';
import { answerOf } from './pages.ts';

/** Others may be as quick this often in a row. */
const maxTries = 10;

interface ChangedSetting<Read, Written, Data> {
  readonly read: () => Promise<Reply<Read>>;
  readonly write: (written: Written, headers: Readonly<Record<string, string>>) => Promise<Answer<Data>>;
}

/**
 * Reads a setting, changes it and stores it; where somebody else has changed it meanwhile, again from what it is by then.
 * @throws ApiError `changed_meanwhile` when others were quicker ten times in a row.
 */
export async function changeSetting<Read, Written, Data>(
  { read, write }: ChangedSetting<Read, Written, Data>,
  change: (present: Read) => Written,
): Promise<Answer<Data>> {
  for (let triesLeft = maxTries - 1; ; triesLeft -= 1) {
    const { data, headers } = await read();
    const version = headers.get('etag');
    if (version === null) {
      throw new TypeError('The answer has lost its header ETag on the way, so that a change might overwrite another one.');
    }
    try {
      return answerOf(await write(change(data), { 'if-match': version }));
    } catch (error) {
      if (triesLeft === 0 || !(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error;
    }
  }
}
