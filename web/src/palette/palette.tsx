/** The command palette: all pages and actions, found by a few letters. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useVisitor } from '../account/session.ts';
import { useDeployments } from '../deployments/use-list.ts';
import { capitalised } from '../parts/capitalised.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { go, useRoute } from '../routing/router.tsx';
import { pathOf, type Route, type Tab, tabs } from '../routing/routes.ts';
import { call } from '../service/request.ts';
import { type Command, matching, offeredCommands } from './commands.ts';
import './palette.css';

type PaletteProps = { onClose: () => void; onKeys: () => void };

export default function Palette({ onClose, onKeys }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const commands = useAllCommands(onKeys);
  const found = useMemo(() => matching(commands, typed), [commands, typed]);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);

  const act = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.act();
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt((chosen + by + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter') act(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} className="palette" aria-label="Search everything" onCancel={onClose} onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-label="Search pages, deployments, templates and commands"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        placeholder="Go to a page, a deployment, a template, or do something"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div className="found" id={`${id}-list`} role="listbox" aria-label="Results">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys, as a combobox does
          <div
            key={`${command.group} ${command.title}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => act(command)}
          >
            <span>{command.title}</span>
            <span className="small soft">{command.group}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="small soft nothing">Nothing matches.</p>}
    </dialog>
  );
}

/** Returns the commands: first those of the current page, then other pages, deployments and templates. */
function useAllCommands(onKeys: () => void): Command[] {
  const route = useRoute();
  const visitor = useVisitor();
  const { listed } = useDeployments();
  const templates = useAnswer('templates', () => call('listTemplates', {}));
  return useMemo(() => {
    const offered = offeredCommands();
    return [
      ...offered.filter(({ isEverywhere }) => !isEverywhere),
      ...ofDeployment(route),
      page('New deployment', '/'),
      page('Templates', '/templates'),
      page('Deployments', '/deployments'),
      visitor.kind === 'account' ? page('Account', '/account', ofAccount) : page('Sign in', '/sign-in', ofAccount),
      ...offered.filter(({ isEverywhere }) => isEverywhere),
      { title: 'All keys', group: 'Help', keys: '?', act: onKeys },
      ...listed.map(({ applicationName, environment }) =>
        to(
          applicationName,
          `Deployment, ${environment}`,
          pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' }),
        ),
      ),
      ...(templates.value?.templates ?? []).map(({ name, title }) =>
        to(title, 'Template', `/new?template=${encodeURIComponent(name)}`),
      ),
    ];
  }, [route, visitor.kind, listed, templates.value, onKeys]);
}

/** Search words for the account page. */
const ofAccount =
  'API keys, webhooks, notifications, mails, passkeys, password, session tokens, plan, profile, browsers';

/** Search words for the pages of a deployment. */
const keywordsOf: Partial<Record<Tab, string>> = {
  terminal: 'shell, exec',
  data: 'snapshots, volumes, backups, export',
  configuration: 'YAML, variables, update',
  revisions: 'history, roll back, compare',
};

function ofDeployment(route: Route): Command[] {
  if (route.page !== 'deployment') return [];
  return tabs
    .filter((tab) => tab !== route.tab)
    .map((tab) => to(capitalised(tab), route.applicationName, pathOf({ ...route, tab }), keywordsOf[tab]));
}

function page(title: string, path: string, words = ''): Command {
  return to(title, 'Page', path, words);
}

function to(title: string, group: string, path: string, words = ''): Command {
  return {
    title,
    group,
    words,
    act() {
      go(path);
      window.scrollTo(0, 0);
    },
  };
}
