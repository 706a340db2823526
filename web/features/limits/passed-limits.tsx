import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatAmount, formatCount } from '../../lib/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { amountText, type LimitUse, limitUsageQuery } from './limits-query.ts';
import { limitText, parsePolicy } from './policy.ts';
import styles from './limits.module.css';

const shownLimits = 3;

/** Limits that are used up, for a page that is about something else; nothing while there is none. It asks once. */
export function PassedLimits({ isEnabled = true }: { readonly isEnabled?: boolean }): ReactNode {
  const { data = [] } = useQuery({ ...limitUsageQuery, enabled: isEnabled });
  const passed = data.filter(({ fullest: [first] }) => first !== undefined && first.share >= 1);
  if (passed.length === 0) return null;
  return (
    <div className={styles['passed']}>
      {passed.slice(0, shownLimits).map((use) => (
        <Notice key={JSON.stringify([use.policy, use.value, use.key_id, use.alert_id])} kind="danger">
          {passedText(use)} <Link to="/limits">Show limits</Link>
        </Notice>
      ))}
      {passed.length > shownLimits && (
        <Notice kind="danger">
          {formatAmount(passed.length - shownLimits, 'more limit')} {passed.length - shownLimits === 1 ? 'is' : 'are'} used up.{' '}
          <Link to="/limits">Show limits</Link>
        </Notice>
      )}
    </div>
  );
}

function passedText(use: LimitUse): string {
  const policy = parsePolicy(use.policy);
  const [first] = use.fullest;
  const limit = policy === undefined ? use.policy : limitText(policy);
  const others = use.fullest.filter(({ share }) => share >= 1).length - 1;
  const who = first?.value === null || first === undefined ? '' : `${policy?.segment ?? ''} “${first.value}”: `;
  const more = others === 0 ? '' : `, and ${formatCount(others)} more`;
  return `Limit used up: ${who}${amountText(use, first?.used ?? 0)} of ${limit}${more}. Calls beyond it are answered 429.`;
}
