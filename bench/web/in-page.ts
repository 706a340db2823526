/** Programs that run in the page. They look once a frame, so a time is that of the frame in which something is seen. */

/** Milliseconds since the navigation began, once a selector matches. @param of another one: as many are asked for as match it. */
export function untilSeen(selector: string, of = selector): string {
  return `new Promise((resolve) => {
    const look = () => {
      const [found, wanted] = [${JSON.stringify(selector)}, ${JSON.stringify(of)}].map((one) => document.querySelectorAll(one).length);
      if (found > 0 && found >= wanted) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  })`;
}

/** A list that does not change for so long has failed. */
const longestMs = 60_000;

/** Milliseconds from Enter. */
export interface ListChange {
  /** Until other rows are there. */
  readonly rows: number;
  /** Until their exact number is there too. */
  readonly count: number;
}

/** Begins with the next Enter, and ends when the list has other rows and their number. */
export const watchList = `window.benchChange = new Promise((resolve, reject) => {
  const textOf = (selector) => document.querySelector(selector)?.textContent ?? '';
  const rowsNow = () => textOf('[role=grid] [role=rowgroup]');
  const countNow = () => textOf('header p');
  const before = { rows: rowsNow(), count: countNow() };
  const begin = ({ key }) => {
    if (key !== 'Enter') return;
    removeEventListener('keydown', begin, true);
    const since = performance.now();
    let wasGone = false;
    let rows;
    const look = () => {
      const ms = performance.now() - since;
      const [now, count] = [rowsNow(), countNow()];
      wasGone ||= now === '';
      if (now !== '' && (wasGone || now !== before.rows || (count !== '' && count !== before.count))) rows ??= ms;
      if (rows !== undefined && count !== '') resolve({ rows, count: ms });
      else if (ms > ${longestMs}) reject(new Error('The list did not change.'));
      else requestAnimationFrame(look);
    };
    look();
  };
  addEventListener('keydown', begin, true);
}), undefined`;

export const change = 'window.benchChange';

export interface Scrolled {
  readonly frames: number;
  /** Frames in which a place in view had no row, also because the list was not loaded so far. */
  readonly blank: number;
  /** Those of the latter kind. */
  readonly held: number;
  readonly longestFrameMs: number;
}

/** Scrolls a grid at a steady rate, whatever its rows do. */
export function scrollRows(role: 'grid' | 'treegrid', rows: number, rowsPerSecond: number): string {
  return `new Promise((resolve) => {
    const grid = document.querySelector('[role=${role}]');
    const [head, body] = [grid.querySelector('[role=columnheader]').closest('[role=row]'), grid.lastElementChild];
    const rowHeight = body.querySelector('[role=row]').getBoundingClientRect().height;
    const headHeight = head.getBoundingClientRect().height;
    const scrolled = { frames: 0, blank: 0, held: 0, longestFrameMs: 0 };
    const since = performance.now();
    let before = since;
    const frame = () => {
      const now = performance.now();
      const due = ((now - since) / 1000) * ${rowsPerSecond} * rowHeight;
      const end = grid.scrollHeight - grid.clientHeight;
      grid.scrollTop = Math.min(due, end);
      // This frame paints the rows that are there now: what answers to the scrolling runs with the next one.
      const there = new Map(Array.from(body.children, (row) => [Number(row.getAttribute('aria-rowindex')) - 2, row.ariaBusy === 'true']));
      const first = Math.floor(grid.scrollTop / rowHeight);
      const last = Math.ceil((grid.scrollTop + grid.clientHeight - headHeight) / rowHeight) - 1;
      let isBlank = false;
      // A row that only says that its step is loading is not loaded either.
      let isHeld = due > end + rowHeight;
      for (let index = first; index <= last; index += 1) {
        isBlank ||= !there.has(index);
        isHeld ||= there.get(index) === true;
      }
      scrolled.frames += 1;
      scrolled.blank += isBlank || isHeld ? 1 : 0;
      scrolled.held += isHeld ? 1 : 0;
      scrolled.longestFrameMs = Math.max(scrolled.longestFrameMs, now - before);
      before = now;
      if (due >= ${rows} * rowHeight) resolve(scrolled);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`;
}

/** Scrolls the tree down until its last row is in view and it has more than so many. @returns milliseconds since the navigation began. */
export function untilTreeEnd(rows: number): string {
  return `new Promise((resolve) => {
    const tree = document.querySelector('[role=treegrid]');
    const frame = () => {
      tree.scrollTop = tree.scrollHeight;
      const count = Number(tree.getAttribute('aria-rowcount'));
      const last = Math.max(...Array.from(tree.lastElementChild.children, (row) => Number(row.getAttribute('aria-rowindex'))));
      const isLoaded = tree.querySelector('[aria-busy=true]') === null;
      if (count > ${rows} && last === count && isLoaded) resolve(performance.now());
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`;
}
