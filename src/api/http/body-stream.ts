export interface StreamEvents {
  /** The client has left. */
  readonly onCancel: () => void;
  readonly onError: (error: unknown) => void;
}

export interface StreamOptions extends StreamEvents {
  /** Whether the next bytes are made while the client reads; else only when it asks for them. Default true. */
  readonly readsAhead?: boolean;
}

/**
 * A response body that reads no more than its client. An error breaks the connection off, so that the client does not take what it has for
 * the whole. @param first bytes that are there already.
 */
export function bodyStream(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
  { onCancel, onError, readsAhead = true }: StreamOptions,
): ReadableStream<Uint8Array> {
  let next: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(first);
  const source = {
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
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
    cancel: async (): Promise<void> => {
      onCancel();
      await rest.return(undefined).catch(() => undefined);
    },
  };
  return new ReadableStream<Uint8Array>(source, { highWaterMark: readsAhead ? 1 : 0 });
}
