/** Addresses and ports that applications may not use. It has no imports, because the dashboard checks documents with it, too. */

/** Based on IANA's registry of special-purpose addresses. Documentation networks lead nowhere and may be left out. */
export const reservedIPv4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared with providers; some clouds have their metadata here (100.100.100.200)
  '127.0.0.0/8',
  '168.63.129.16/32', // a public address, but inside Azure it is the platform's own: keys and settings of the machine
  '169.254.0.0/16', // link-local; most clouds' metadata
  '172.16.0.0/12', // private; Docker's own networks
  '192.0.0.0/24', // protocol assignments; Oracle's metadata (192.0.0.192)
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks of network equipment
  '224.0.0.0/3', // multicast, reserved, broadcast
];

/** Everything except 2000::/3, the public part of IPv6, and the parts of it that contain IPv4 addresses. */
export const reservedIPv6 = [
  '::/3', // this host, IPv4 within IPv6, NAT64
  '2001::/32', // Teredo
  '2002::/16', // 6to4
  '4000::/2',
  '8000::/1', // private, link-local, multicast
];

/** SMTP: a machine that sends spam is on every block list within hours, and its owner loses it. */
export const mailPorts = [25, 465, 587];
