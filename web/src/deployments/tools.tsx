/** The tools above the list: a search, the states, the order, and the count. */
import type { ReactNode } from 'react';
import { type Choice, type Group, groups, type Order, orders } from './choice.ts';

const groupNames: Record<Group, string> = {
  running: 'Running',
  deploying: 'Deploying',
  trouble: 'Needs attention',
  stopped: 'Stopped',
  ended: 'Ended',
};

const orderNames: Record<Order, string> = { newest: 'Newest first', name: 'By name', expiry: 'Expires first' };

type ToolsProps = {
  choice: Choice;
  choose: (changed: Partial<Choice>) => void;
  shown: number;
  all: number;
  /** Actions on the selected deployments. */
  children: ReactNode;
};

export function Tools({ choice: { search, group, order }, choose, shown, all, children }: ToolsProps) {
  return (
    <div className="list-tools">
      <input
        type="search"
        data-search
        className="input compact"
        placeholder="Search by name or address"
        aria-label="Search the deployments"
        maxLength={100}
        value={search}
        onChange={({ target }) => choose({ search: target.value })}
      />
      <select
        className="input compact"
        aria-label="State"
        value={group}
        onChange={({ target }) => choose({ group: target.value as Choice['group'] })}
      >
        <option value="all">All states</option>
        {groups.map((each) => (
          <option key={each} value={each}>
            {groupNames[each]}
          </option>
        ))}
      </select>
      <select
        className="input compact"
        aria-label="Order"
        value={order}
        onChange={({ target }) => choose({ order: target.value as Order })}
      >
        {orders.map((each) => (
          <option key={each} value={each}>
            {orderNames[each]}
          </option>
        ))}
      </select>
      <p className="small soft numbers" role="status">
        {shown === all ? all : `${shown} of ${all}`} {all === 1 ? 'deployment' : 'deployments'}
      </p>
      {children}
    </div>
  );
}
