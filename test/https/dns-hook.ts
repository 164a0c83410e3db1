/** A command of `BERTH_ACME_DNS` for pebble's DNS server: `dns-hook.ts <address> set|remove <name> <value>`. */
const [address, action, name, value] = process.argv.slice(2);
const path = action === 'set' ? 'set-txt' : 'clear-txt';
const answer = await fetch(`${address}/${path}`, {
  method: 'POST',
  body: JSON.stringify({ host: `${name}.`, value }),
});
if (!answer.ok) throw new Error(`${answer.status}`);
