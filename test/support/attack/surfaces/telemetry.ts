import { gzipSync } from 'node:zlib';
import { lanes, type Surface } from '../surface.ts';

const mebibyte = 1024 * 1024;

export const telemetry: Surface = {
  name: 'telemetry',
  words: 'log records and metrics of OTLP: 100,000 records in a request, one of 14 MiB, 15 MiB of zeros in gzip, records 20,000 deep',
  attack: async (target) => {
    const bodies = [manyRecords(), oneLarge(), gzipSync(Buffer.alloc(15 * mebibyte)), deepRecord(), manyPoints()];
    await lanes(target, 6, (turn, lane) =>
      target.send({
        method: 'POST',
        url: `${lane % 2 === 0 ? target.gateway : target.api}/v1/otlp/v1/${turn % 3 === 2 ? 'metrics' : 'logs'}`,
        body: bodies[(turn + lane) % bodies.length] ?? '',
        headers: { 'content-encoding': 'gzip' },
      }),
    );
  },
};

function logsOf(records: string): Buffer {
  return gzipSync(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${records}]}]}]}`, { level: 1 });
}

function recordOf(body: string): string {
  const event = '{"key":"event.name","value":{"stringValue":"gen_ai.client.inference.operation.details"}}';
  return `{"timeUnixNano":"${Date.now()}000000","traceId":"${'ab'.repeat(16)}","spanId":"${'cd'.repeat(8)}","attributes":[${event}],"body":${body}}`;
}

function manyRecords(): Buffer {
  return logsOf(Array.from({ length: 60_000 }, () => recordOf('{"stringValue":"x"}')).join(','));
}

function oneLarge(): Buffer {
  return logsOf(recordOf(`{"stringValue":"${'x'.repeat(14 * mebibyte)}"}`));
}

function deepRecord(): Buffer {
  const depth = 20_000;
  return logsOf(recordOf(`${'{"arrayValue":{"values":['.repeat(depth)}{}${']}}'.repeat(depth)}`));
}

function manyPoints(): Buffer {
  const point = `{"asInt":"1","timeUnixNano":"${Date.now()}000000"}`;
  return gzipSync(
    `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${`${point},`.repeat(200_000)}${point}]}}]}]}]}`,
    { level: 1 },
  );
}
