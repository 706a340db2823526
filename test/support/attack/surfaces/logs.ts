import { lanes, type Surface } from '../surface.ts';

const maxBytes = 15_500_000;

function logOf(request: string, response = '{}'): string {
  return `{"providerRequest":{"url":"custom-model-nopath","json":${request}},"providerResponse":{"json":${response},"status":200}}`;
}

function filled(unit: string): string {
  return `{"model":"m"${`,${unit}`.repeat(Math.floor(maxBytes / (unit.length + 1)))}}`;
}

function bodies(): readonly string[] {
  const levels = 5_000_000;
  return [
    logOf('{"model":"m"}'),
    logOf(filled('"a":1')),
    logOf(`{"model":"m","a":${'['.repeat(levels)}${']'.repeat(levels)}}`),
    logOf(`{"model":"m","a":"${'x'.repeat(maxBytes)}"}`),
    logOf('{"model":"m"}', `{"choices":[${'{"message":{"content":"a"}},'.repeat(400_000)}{}]}`),
    logOf(filled('"a":{}')),
  ];
}

export const logs: Surface = {
  name: 'logs',
  words:
    'custom logs of 15 MB: of many members, 5,000,000 levels deep, one long text, 400,000 choices; beside as many small ones as forty connections take',
  attack: async (target) => {
    const [small = '', ...large] = bodies();
    const paths = ['/v1/trace/custom/log', '/custom/v1/log', '/oai/v1/log'];
    await lanes(target, 44, (turn, lane) =>
      target.send({
        method: 'POST',
        url: `${lane % 2 === 0 ? target.gateway : target.api}${paths[turn % paths.length]}`,
        body: lane < 4 ? (large[(turn + lane) % large.length] ?? '') : small,
      }),
    );
  },
};
