import { useSyncExternalStore } from 'react';

export interface ChartColors {
  readonly series: readonly string[];
  readonly other: string;
  readonly text: string;
  readonly line: string;
  readonly danger: string;
  readonly band: string;
  readonly font: string;
}

const seriesCount = 10;

/** The colours of the theme as a canvas takes them; they change with the theme. */
export function useChartColors(): ChartColors {
  const scheme = useSyncExternalStore(onThemeChange, currentScheme);
  const known = resolved.get(scheme);
  if (known !== undefined) return known;
  const colors = resolveColors();
  resolved.set(scheme, colors);
  return colors;
}

const resolved = new Map<string, ChartColors>();

export function colorOf(colors: ChartColors, color: number | 'other'): string {
  return (color === 'other' ? undefined : colors.series[(color - 1) % seriesCount]) ?? colors.other;
}

/** A canvas does not know `light-dark()`: the browser computes it for an element. */
function resolveColors(): ChartColors {
  const probe = document.createElement('span');
  document.body.append(probe);
  const color = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const series = Array.from({ length: seriesCount }, (_, index) => color(`series-${index + 1}`));
  const names = { other: 'series-other', text: 'text-muted', line: 'line', danger: 'danger', band: 'danger-ground' } as const;
  const others = Object.fromEntries(Object.entries(names).map(([key, name]) => [key, color(name)])) as Record<keyof typeof names, string>;
  const font = `12px ${getComputedStyle(document.documentElement).fontFamily}`;
  probe.remove();
  return { series, ...others, font };
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)');

function currentScheme(): string {
  return document.documentElement.dataset['theme'] ?? (darkScheme.matches ? 'dark' : 'light');
}

function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  darkScheme.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    darkScheme.removeEventListener('change', changed);
  };
}
