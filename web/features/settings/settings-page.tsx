import { type ReactNode, useState } from 'react';
import { basePath } from '../../lib/base-path.ts';
import { useSignedIn } from '../../lib/signed-in.ts';
import { formatTime } from '../../lib/format.ts';
import { applyTheme, storedTheme, type Theme, themeLabels, themes } from '../../lib/theme.ts';
import { chooseZone, chosenZone, timeZone } from '../../lib/zone.ts';
import { permissionLabels } from '../keys/permissions.ts';
import { Facts } from '../../ui/layout/facts.tsx';
import { Page, Section } from '../../ui/layout/page.tsx';
import { Row } from '../../ui/form/form.tsx';
import { Select } from '../../ui/select.tsx';

const browserZone = 'Same as this browser';
const zoneOptions = [browserZone, 'UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((value) => ({
  value,
  label: value,
}));
const themeOptions = themes.map((value) => ({ value, label: themeLabels[value] }));

/** How this browser shows things, and who is signed in. */
export function SettingsPage(): ReactNode {
  const signedIn = useSignedIn();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const [now] = useState(() => new Date().toISOString());
  const [zone, setZone] = useState(() => chosenZone() ?? browserZone);
  return (
    <Page title="Settings">
      <Section title="This browser">
        <Row>
          <Select
            label="Time zone"
            isLabelShown
            value={zone}
            options={zoneOptions}
            onChange={(value) => {
              chooseZone(value === browserZone ? undefined : value);
              setZone(value);
            }}
          />
          <Select
            label="Theme"
            isLabelShown
            value={theme}
            options={themeOptions}
            onChange={(value) => {
              applyTheme(value);
              setTheme(value);
            }}
          />
        </Row>
        <p className="muted">
          It is {formatTime(now, timeZone())} in {timeZone()}. Numbers and dates follow the language of the browser.
        </p>
      </Section>
      <Section title="Signed in">
        <Facts
          facts={[
            ['Organisation', signedIn.organization_name],
            ['Organisation ID', signedIn.organization_id],
            ...(signedIn.person === null ? [] : ([['Person', signedIn.person.name ?? signedIn.person.mail]] as const)),
            ...(signedIn.key_name === null ? [] : ([['Key', signedIn.key_name]] as const)),
            ['Permissions', permissionLabels[signedIn.key_permissions]],
            ['Session ends', signedIn.expires_at === null ? null : formatTime(signedIn.expires_at, timeZone())],
          ]}
        />
      </Section>
      <Section title="API">
        <p>
          Everything in this dashboard is also in the API: <a href={`${basePath}/docs`}>documentation</a>.
        </p>
      </Section>
    </Page>
  );
}
