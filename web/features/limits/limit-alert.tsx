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

interface InPlaceProps {
  /** With the amount and the time of the limit. */
  readonly alert: NewAlertSearch;
}

/** The way from a limit to an alert. */
export function LimitAlert({ alert, counted: { segment, property, value } }: InPlaceProps & { readonly counted: Counted }): ReactNode {
  switch (segment) {
    case 'value':
      return <OfOneValue alert={alert} property={property} value={value} />;
    case 'all':
      return <InPlace alert={alert} />;
    default:
      return <InPlace alert={{ ...alert, by: [segment === 'user' ? segment : `properties.${property}`] }} />;
  }
}

/** The way to a budget that also tells somebody. */
function InPlace({ alert }: InPlaceProps): ReactNode {
  if (alert.metric !== 'cost') {
    return (
      <p className="muted">
        To be notified as well, add{' '}
        <Link to="/alerts/new" search={alert}>
          an alert on the same requests
        </Link>{' '}
        beside this limit.
      </p>
    );
  }
  return (
    <p className="muted">
      To be notified as well, make{' '}
      <Link to="/alerts/new" search={{ ...alert, budget: true }}>
        an alert that blocks calls
      </Link>{' '}
      in place of this limit.
    </p>
  );
}

interface OfOneValueProps extends InPlaceProps {
  readonly property: string;
  readonly value: string;
}

/** What there is for one value, of which the gateway has no limit. */
function OfOneValue({ alert, property, value }: OfOneValueProps): ReactNode {
  const q = property === '' || value === '' ? undefined : searchFor(`properties.${property}`, value);
  return (
    <p className="muted">
      A limit holds for each value alike, so one value cannot have a limit of its own.{' '}
      {q === undefined ? (
        'An alert on its requests'
      ) : (
        <Link to="/alerts/new" search={{ ...alert, q }}>
          An alert on {property} {value}
        </Link>
      )}{' '}
      notifies, and blocks no call. To block its calls, give it a key of its own and limit that key: <code>gatelog limits set --key</code>.
    </p>
  );
}
