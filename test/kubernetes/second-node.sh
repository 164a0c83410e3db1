#!/bin/bash
# What runs on the second node of the tests. `second-node.ts` starts it in network, mounts and processes of its own, so
# that all of it ends with its first process, which is this one; and that ends with whoever has begun it.
#   K8S_DIR: where the first node is, FOLDER: of this one, NODE: its name, ADDRESS: its own, PODS: network of its pods
set -eu
B=$K8S_DIR
export PATH=$B/bin:$B/rootfs/usr/bin:$B/rootfs/usr/sbin:$B/rootfs/sbin:$PATH:/usr/sbin:/sbin
export LD_LIBRARY_PATH=$B/rootfs/usr/lib/x86_64-linux-gnu:$B/rootfs/lib/x86_64-linux-gnu
export XTABLES_LIBDIR=$B/rootfs/usr/lib/x86_64-linux-gnu/xtables

# Places that kubelet, runtime and network plugins cannot be told others for; the first node has the machine's.
for fixed in /run /var/lib /var/log; do mount -t tmpfs tmpfs $fixed; done
mkdir -p /run/netns "$FOLDER"/{cni,kubelet,images}
sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1

cat > "$FOLDER/cni/10-bridge.conflist" <<Y
{"cniVersion": "0.3.1", "name": "second", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": "$PODS"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
Y
cat > "$FOLDER/containerd.toml" <<Y
version = 2
root = "$FOLDER/images"
state = "/run/second"
[grpc]
  address = "$FOLDER/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "k8s.gcr.io/pause:3.2"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$B/rootfs/usr/lib/cni"
    conf_dir = "$FOLDER/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
Y
cat > "$FOLDER/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $B/pki/ca.crt}}
authorization: {mode: Webhook}
cgroupDriver: cgroupfs
cgroupRoot: /$NODE
failSwapOn: false
nodeStatusUpdateFrequency: 3s
resolvConf: $B/etc/resolv.conf
evictionHard: {memory.available: 200Mi, nodefs.available: 3%, imagefs.available: 3%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
Y

containerd -c "$FOLDER/containerd.toml" > "$FOLDER/containerd.log" 2>&1 &
ctr="ctr -a $FOLDER/containerd.sock -n k8s.io"
until $ctr version > /dev/null 2>&1; do sleep 0.2; done
$ctr images import "$B/img/pause.tar"
admin=$B/etc/admin.kubeconfig
kubelet --config="$FOLDER/kubelet.yaml" --kubeconfig="$admin" --hostname-override="$NODE" --node-ip="$ADDRESS" \
  --root-dir="$FOLDER/kubelet" --cert-dir="$FOLDER/kubelet/pki" --container-runtime=remote \
  --container-runtime-endpoint="unix://$FOLDER/containerd.sock" --containerd="$FOLDER/containerd.sock" \
  --docker=unix:///nonexistent.sock --volume-plugin-dir="$FOLDER/kubelet/plugins" > "$FOLDER/kubelet.log" 2>&1 &
kube-proxy --kubeconfig="$B/etc/proxy.kubeconfig" --hostname-override="$NODE" --proxy-mode=iptables \
  --cluster-cidr=10.244.0.0/16 --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 \
  --conntrack-tcp-timeout-close-wait=0 > "$FOLDER/kube-proxy.log" 2>&1 &
knetpol --kubeconfig="$admin" > "$FOLDER/knetpol.log" 2>&1 &
cat > /dev/null
