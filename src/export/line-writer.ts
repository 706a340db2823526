import { jsonMembers } from '../model/json/members.ts';
import { RawJson } from '../model/json/raw.ts';
import type { ExportColumn } from './columns.ts';
import type { RecordWriter } from './record-writer.ts';
import { recordWriter, type WriterOptions } from './writer.ts';

/** Writes the lines of a jsonl export in another format, or as they are. */
export interface LineWriter extends Omit<RecordWriter, 'add'> {
  readonly add: (line: Buffer) => void;
}

/** @param options their columns are those of the lines. @param continued the progress of a file that is continued; undefined begins one. */
export async function lineWriter(options: WriterOptions, continued?: { readonly progress: unknown }): Promise<LineWriter> {
  if (options.format === 'jsonl') return sameLines();
  const columns = options.columns.map((column) => ({ ...column, field: column.name, key: undefined }));
  const writer = await recordWriter({ ...options, columns, from: continued?.progress });
  // The names are in the file already.
  if (continued !== undefined) writer.take();
  return { ...writer, add: (line) => writer.add(recordIn(line, columns)) };
}

function sameLines(): LineWriter {
  let ready: Buffer[] = [];
  let bytes = 0;
  return {
    add: (line) => {
      ready.push(line);
      bytes += line.length;
    },
    readyBytes: () => bytes,
    take: () => {
      const taken = Buffer.concat(ready);
      ready = [];
      bytes = 0;
      return taken;
    },
    flush: () => undefined,
    end: () => undefined,
    progress: () => undefined,
  };
}

/** Texts of JSON stay as they are, so that their numbers keep all digits. */
function recordIn(line: Buffer, columns: readonly ExportColumn[]): Readonly<Record<string, unknown>> {
  const members = jsonMembers(line.toString());
  const record: Record<string, unknown> = {};
  for (const { name, kind } of columns) {
    const text = members.get(name) ?? 'null';
    const isStructure = kind === 'json' && (text.startsWith('{') || text.startsWith('['));
    record[name] = isStructure || (kind === 'json' && /^-?\d/.test(text)) ? new RawJson(text) : (JSON.parse(text) as unknown);
  }
  return record;
}
