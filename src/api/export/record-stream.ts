import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CompressPart } from '../../export/compression.ts';
import type { RecordWriter } from '../../export/record-writer.ts';
import type { ExportedRecord } from '../../query/export/record.ts';

/** A few milliseconds of work, after which other calls have their turn. */
const bytesInTurn = 64 * 1024;

/** The bytes of a file with these records. */
export async function* recordBytes(
  records: AsyncIterable<Iterable<ExportedRecord>>,
  writer: RecordWriter,
  compress: CompressPart,
): AsyncGenerator<Uint8Array> {
  for await (const some of records) {
    for (const record of some) {
      writer.add(record);
      if (writer.readyBytes() < bytesInTurn) continue;
      yield await compress(writer.take());
      await nextTurn();
    }
  }
  writer.end();
  yield await compress(writer.take());
}
