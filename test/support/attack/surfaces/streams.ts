import { dearFilters, lanes, pause, sendLargeRecords, type Surface } from '../surface.ts';

const viewers = 60;
const betweenMs = 250;

export const streams: Surface = {
  name: 'streams',
  words:
    'sixty live streams, half with bodies, with filters that have much to do, some read slowly, over records of a megabyte and with 60 properties of 8 KB',
  attack: async (target) => {
    const followers = Array.from({ length: viewers }, async (_, viewer) => {
      const filter = encodeURIComponent(JSON.stringify(dearFilters[viewer % dearFilters.length]));
      const url = `${target.api}/v1/request/stream?filter=${filter}&includeBodies=${viewer % 2 === 0}`;
      while (!target.signal.aborted) {
        const { status } = await target.send({ url, ...(viewer % 3 === 0 ? { readEveryMs: 5000 } : {}) });
        if (status !== 200) await pause(target.signal, betweenMs);
      }
    });
    await Promise.all([...followers, lanes(target, 2, () => sendLargeRecords(target))]);
  },
};
