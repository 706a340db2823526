/** A block of server-sent events. */
export interface ServerEvent {
  readonly type: string;
  /** Undefined in a block that only moves the position. */
  readonly data: string | undefined;
  /** The position behind the event. */
  readonly id: string | undefined;
}

/** Reads server-sent events; a block that is cut off is none. @param lines of the stream, without their ends. */
export async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<ServerEvent, void, undefined> {
  let type = 'message';
  let id: string | undefined;
  let data: string[] = [];
  for await (const given of lines) {
    const line = given.endsWith('\r') ? given.slice(0, -1) : given;
    if (line === '') {
      if (data.length > 0 || id !== undefined) yield { type, data: data.length === 0 ? undefined : data.join('\n'), id };
      [type, id, data] = ['message', undefined, []];
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') type = value;
    else if (name === 'id') id = value;
    else if (name === 'data') data.push(value);
  }
}
