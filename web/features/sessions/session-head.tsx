import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SessionItem, SessionNode } from '../../../src/client/client.ts';
import { formatCost, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { figureText } from '../../lib/metrics/metric-format.ts';
import { searchFor } from '../../lib/search-text.ts';
import { useMay } from '../../lib/signed-in.ts';
import { useQuiet } from '../../lib/use-quiet.ts';
import { timeZone } from '../../lib/zone.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { InlineButton } from '../../ui/inline-button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { PropertyLink, UserLink } from '../../ui/subject-links.tsx';
import { isWithoutPrice } from '../requests/cost-text.ts';
import { alertOn } from './alert-on.ts';
import { CostFindings } from './cost-findings.tsx';
import styles from './session-page.module.css';
import type { Step } from './trace/steps.ts';
import { percent } from './trace/shares.ts';
import type { Usual } from './usual/usual.ts';
import { type Beside, usualQuery } from './usual/usual-query.ts';

const route = getRouteApi('/shell/sessions/$sessionId');

interface SessionHeadProps {
  readonly session: SessionItem;
  readonly tree: readonly SessionNode[];
  readonly steps: readonly Step[];
  readonly lengthMs: number;
}

export function SessionHead({ session, tree, steps, lengthMs }: SessionHeadProps): ReactNode {
  const sessionsSearch = useLocation({ select: ({ state }) => state.sessionsSearch ?? {} });
  // The steps are there sooner when nothing is added up beside them.
  const isQuiet = useQuiet(steps.length > 0, session.session_id);
  const { data: beside } = useQuery({ ...usualQuery(session), enabled: isQuiet });
  const { failed } = session;
  return (
    <header className={styles['head']}>
      <div className={styles['title']}>
        <nav aria-label="Breadcrumb">
          <Link to="/sessions" search={sessionsSearch}>
            Sessions
          </Link>{' '}
          <span aria-hidden="true">/</span>
        </nav>
        <h1 className="clip" dir="auto" title={session.session_id}>
          {session.session_name === '' ? session.session_id : session.session_name}
        </h1>
        {session.session_name !== '' && (
          <span className={styles['id']}>
            <span className="clip" title={session.session_id}>
              {session.session_id}
            </span>
            <CopyButton text={session.session_id} label="Copy the identifier of the session" />
          </span>
        )}
        {failed > 0 && (
          <route.Link className={styles['failed'] ?? ''} search={(search) => ({ ...search, tab: undefined, failed: true })} to=".">
            {formatCount(failed)} failed {failed === 1 ? 'step' : 'steps'}
          </route.Link>
        )}
        <Chips session={session} />
        <Actions {...{ session, lengthMs, beside }} />
      </div>
      <div className={styles['about']}>
        <Figures {...{ session, steps, lengthMs, beside }} />
        <CostFindings {...{ session, tree, steps, beside }} />
      </div>
    </header>
  );
}

/** Beyond so many the rest is shown on demand. */
const shownChips = 6;

/** Who and what it was for. */
function Chips({ session: { user_ids: users, properties, session_tag: tag } }: { readonly session: SessionItem }) {
  const [isOpen, setIsOpen] = useState(false);
  const own = Object.entries(properties).filter(([key]) => !/^(?:svc|helicone)-/i.test(key));
  const all = [
    ...(tag === null
      ? []
      : [
          <Chip key="tag" title={`Tag: ${tag}`}>
            Tag: {tag}
          </Chip>,
        ]),
    ...users.map((user) => (
      <Chip key={`user ${user}`}>
        <UserLink user={user} />
      </Chip>
    )),
    ...own.map(([key, value]) => (
      <Chip key={`property ${key}`}>
        <PropertyLink name={key} value={value}>
          {key}: {value}
        </PropertyLink>
      </Chip>
    )),
  ];
  const hidden = all.length - shownChips;
  return (
    <ul className={styles['chips']} aria-label="About the session">
      {isOpen || hidden <= 1 ? all : all.slice(0, shownChips)}
      {!isOpen && hidden > 1 && (
        <Chip>
          <InlineButton onPress={() => setIsOpen(true)}>{formatCount(hidden)} more</InlineButton>
        </Chip>
      )}
    </ul>
  );
}

function Chip({ title, children }: { readonly title?: string; readonly children: ReactNode }): ReactNode {
  return (
    <li className="clip" dir="auto" title={title}>
      {children}
    </li>
  );
}

interface AboutProps {
  readonly session: SessionItem;
  readonly lengthMs: number;
  /** What is usual; undefined: not known so far. */
  readonly beside: Beside | null | undefined;
}

interface FiguresProps extends AboutProps {
  readonly steps: readonly Step[];
}

function Figures({ session, steps: loaded, lengthMs, beside }: FiguresProps): ReactNode {
  const cached = beside?.own.cached ?? null;
  const usual = (figure: (of: Usual) => string): string => (beside?.usual === undefined ? '' : `usual ${figure(beside.usual)}`);
  const figures: readonly (readonly [string, string, string])[] = [
    [
      'Cost',
      figureText('cost', { cost: session.total_cost, unpriced_count: unpricedAmong(loaded) }),
      usual(({ cost }) => formatCost(cost)),
    ],
    ['Steps', formatCount(session.total_requests), usual(({ steps }) => formatCount(steps))],
    ['Cached input', cached === null ? '–' : percent(cached), usual(({ cached: share }) => (share === null ? '–' : percent(share)))],
    [
      'Tokens',
      formatCount(session.total_tokens),
      `${formatCount(session.prompt_tokens)} in, ${formatCount(session.completion_tokens)} out`,
    ],
    ['Duration', formatDuration(lengthMs), formatTime(session.created_at, timeZone())],
  ];
  return (
    <dl className={styles['figures']}>
      {figures.map(([name, value, about]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {about !== '' && <dd className="muted">{about}</dd>}
        </div>
      ))}
    </dl>
  );
}

function unpricedAmong(steps: readonly Step[]): number {
  return steps.filter(({ request }) => isWithoutPrice(request)).length;
}

function Actions({ session, lengthMs, beside }: AboutProps): ReactNode {
  const mayMake = useMay('admin');
  const { session_id: id, total_cost: cost } = session;
  return (
    <div className={styles['actions']}>
      <LinkButton to="/requests" search={{ q: searchFor('session', id), range: 'all' }}>
        Show requests
      </LinkButton>
      {mayMake && cost > 0 && (
        <LinkButton to="/alerts/new" search={alertOn(session, lengthMs, beside)}>
          Alert on such sessions
        </LinkButton>
      )}
    </div>
  );
}
