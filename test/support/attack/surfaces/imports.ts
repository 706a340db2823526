import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { lanes, type Surface } from '../surface.ts';

const months = 140;

export const imports: Surface = {
  name: 'imports',
  words: 'lines of 60 MB, lines 100,000 levels deep, 100,000 wrong lines, 20,000 records of 140 months in a request, and bodies in gzip',
  attack: async (target) => {
    const makers = [ofManyMonths, longLine, nested, wrongLines, longLineInGzip];
    await lanes(target, 5, (turn, lane) => {
      const { body, headers } = (makers[(turn + lane) % makers.length] ?? wrongLines)();
      return target.send({
        method: 'POST',
        url: `${target.api}/v1/import`,
        body,
        headers: { 'content-type': 'application/x-ndjson', ...headers },
      });
    });
  },
};

interface Lines {
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

function lineOf(at: number, more = ''): string {
  return `{"request_id":"${randomUUID()}","request_created_at":${at},"provider":"OPENAI","model":"m"${more}}`;
}

function ofManyMonths(): Lines {
  return { body: Array.from({ length: 20_000 }, (_, index) => lineOf(Date.UTC(2015, index % months, 15))).join('\n') };
}

const longEnd = Buffer.from(`,"request_body":{"a":"${'x'.repeat(60_000_000)}"}}\n`);

function longLine(): Lines {
  return { body: Buffer.concat([Buffer.from(lineOf(Date.now()).slice(0, -1)), longEnd]) };
}

/** Some hundred KB. */
const longInGzip = gzipSync(Buffer.concat([longLine(), longLine(), longLine()].map(({ body }) => Buffer.from(body))), { level: 1 });

function longLineInGzip(): Lines {
  return { body: longInGzip, headers: { 'content-encoding': 'gzip' } };
}

function nested(): Lines {
  return { body: lineOf(Date.now(), `,"request_body":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) };
}

function wrongLines(): Lines {
  return { body: '{"request_id":1}\n'.repeat(100_000) };
}
