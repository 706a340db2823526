import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { searchFor } from '../../lib/search-text.ts';
import type { NewAlertSearch } from '../alerts/search.ts';

/** Whose requests a limit counts. */
export interface Counted {
  readonly segment: 'all' | 'user' | 'property' | 'value';
  readonly property: string;
  readonly value: string;
}

interface LimitAlertProps {
  /** With the amount and the time of the limit. */
  readonly alert: NewAlertSearch;
  readonly counted: Counted;
}

/** The way from a limit to an alert. A rule that blocks calls counts all requests, or each value alike. */
export function LimitAlert({ alert, counted: { segment, property, value } }: LimitAlertProps): ReactNode {
  const search = { ...alert, ...searchOf(segment, property, value) };
  if (alert.metric !== 'cost' || segment === 'value') {
    return (
      <p className="muted">
        To be notified as well, add{' '}
        <Link to="/alerts/new" search={search}>
          an alert on the same requests
        </Link>{' '}
        beside this limit.
      </p>
    );
  }
  return (
    <p className="muted">
      To be notified as well, make{' '}
      <Link to="/alerts/new" search={{ ...search, budget: true }}>
        an alert that blocks calls
      </Link>{' '}
      in place of this limit.
    </p>
  );
}

function searchOf(segment: Counted['segment'], property: string, value: string): NewAlertSearch {
  switch (segment) {
    case 'all':
      return {};
    case 'user':
      return { by: ['user'] };
    case 'property':
      return { by: [`properties.${property}`] };
    case 'value':
      return property === '' || value === '' ? {} : { q: searchFor(`properties.${property}`, value) };
  }
}
