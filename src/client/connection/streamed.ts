import { ApiError } from './error.ts';

/** Reads a body in pieces as they come. @throws ApiError `broken_off` when the connection breaks; the signal's reason when it aborts. */
export async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  { endpoint, signal }: { readonly endpoint: string; readonly signal: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError(`The service broke off its answer (${why}).`, { endpoint, code: 'broken_off', status: 200, cause: error });
  } finally {
    // A reader that leaves early ends the call.
    await reader.cancel().catch(() => undefined);
  }
}

/** The lines of a text in pieces, without their ends. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let begun = '';
  for await (const piece of pieces) {
    const lines = (begun + decoder.decode(piece, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  const last = begun + decoder.decode();
  if (last !== '') yield last;
}
