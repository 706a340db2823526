import { lanes, pause, type Surface } from '../surface.ts';

const connections = 300;
const bytes = 8 * 1024 * 1024 - 64;
const holdMs = 8000;

/** A path of the API with the beginning of what it takes. */
const paths = [
  ['/v1/trace/custom/log', 'application/json', '{"a":"'],
  ['/v1/otlp/v1/traces', 'application/json', '{"a":"'],
  ['/v1/import', 'application/x-ndjson', '{"a":"'],
  ['/v1/request/query-clickhouse', 'application/json', '{"filter":"'],
  ['/v1/alerts', 'application/json', '{"name":"'],
] as const;

export const uploads: Surface = {
  name: 'uploads',
  words: `${connections} connections that send bodies of 8 MiB to each kind of endpoint and keep the last byte back for ${holdMs / 1000} s`,
  attack: (target) => {
    const text = Buffer.alloc(bytes, 'x');
    return lanes(target, connections, async (turn, lane) => {
      const [path, type, begin] = paths[(turn + lane) % paths.length] ?? paths[0];
      text.write(begin);
      const { status } = await target.send({
        method: 'POST',
        url: target.api + path,
        body: text,
        headers: { 'content-type': type },
        holdMs,
      });
      if (status === 0) await pause(target.signal, 500);
    });
  },
};
