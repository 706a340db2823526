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

export interface StreamEvents {
  /** The client has left. */
  readonly onCancel: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * A response body that reads no more than its client. An error breaks the connection off, so that the client does not take what it has for
 * the whole. @param first bytes that are there already.
 */
export function bodyStream(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
  { onCancel, onError }: StreamEvents,
): ReadableStream<Uint8Array> {
  let next: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(first);
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const read = await (next ?? rest.next());
        next = undefined;
        if (read.done === true) controller.close();
        else controller.enqueue(read.value);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    cancel: async () => {
      onCancel();
      await rest.return(undefined).catch(() => undefined);
    },
  });
}
