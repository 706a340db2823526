import { type ComponentType, lazy, type ReactNode } from 'react';
import { part } from './part.ts';

/** A component whose code is loaded once it is shown. React remembers a part that could not be had; this one is asked for again. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const state = { Part: begun() };
  function begun(): ComponentType<Props> {
    const loadPart = part(load);
    return lazy(async () => {
      try {
        return { default: await loadPart() };
      } catch (error) {
        state.Part = begun();
        throw error;
      }
    });
  }
  return function LazyPart(props: Props): ReactNode {
    const { Part } = state;
    return <Part {...props} />;
  };
}
