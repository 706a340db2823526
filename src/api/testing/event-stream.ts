import type { RequestItem } from '../../contract/requests/item.ts';

export interface StreamedRequest {
  readonly position: string;
  readonly item: RequestItem;
}

/** A live stream as its client sees it. */
export class StreamReader {
  /** The position at which a client that connects again goes on. */
  lastPosition = '';
  readonly requests: StreamedRequest[] = [];
  readonly comments: string[] = [];
  /** The data of the events `passed_by`. */
  readonly passedBy: { readonly request_id: string; readonly error: string }[] = [];
  /** The data of the event `end`. */
  end: unknown;
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private text = '';

  constructor({ status, body }: Pick<Response, 'status' | 'body'>) {
    if (status !== 200 || body === null) throw new Error(`no stream, status ${status}`);
    this.reader = body.getReader();
  }

  /** Reads on until something holds. @returns false when the stream has ended before. */
  async until(holds: () => boolean): Promise<boolean> {
    while (!holds()) {
      const { done, value } = await this.reader.read();
      if (done) return false;
      this.take(this.decoder.decode(value, { stream: true }));
    }
    return true;
  }

  /** Reads until so many requests have come. @returns their identifiers. */
  async ids(count: number): Promise<readonly string[]> {
    await this.until(() => this.requests.length >= count);
    return this.requests.map(({ item }) => item.request_id);
  }

  /** Reads until a request of this team has come. @returns the identifiers of those before it. */
  async idsBefore(team: string): Promise<readonly string[]> {
    const isOfTeam = ({ item }: StreamedRequest): boolean => item.properties['Team'] === team;
    await this.until(() => this.requests.some(isOfTeam));
    return this.requests.slice(0, this.requests.findIndex(isOfTeam)).map(({ item }) => item.request_id);
  }

  /** Reads until the service ends the stream. */
  async untilEnd(): Promise<void> {
    await this.until(() => false);
  }

  async leave(): Promise<void> {
    await this.reader.cancel();
  }

  private take(text: string): void {
    const blocks = (this.text + text).split('\n\n');
    this.text = blocks.pop() ?? '';
    for (const block of blocks) this.takeBlock(block);
  }

  private takeBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments.push(line.slice(1).trim());
      else fields.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2));
    }
    this.lastPosition = fields.get('id') ?? this.lastPosition;
    const data = fields.get('data');
    if (data === undefined) return;
    if (fields.get('event') === 'end') this.end = JSON.parse(data);
    else if (fields.get('event') === 'passed_by') this.passedBy.push(JSON.parse(data) as StreamReader['passedBy'][number]);
    else this.requests.push({ position: this.lastPosition, item: JSON.parse(data) as RequestItem });
  }
}

/** The address of a stream. */
export function streamPath(filter?: unknown, parameters: Readonly<Record<string, string>> = {}): string {
  const given = { ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }), ...parameters };
  return `/v1/request/stream?${new URLSearchParams(given).toString()}`;
}
