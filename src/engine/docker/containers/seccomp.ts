/**
 * PURE. The system calls that containers may make: those that programs use, without those that change the machine or
 * need a dropped capability. The engine's own list is not used, because it differs between versions. For example,
 * Docker 20.10 allows AF_VSOCK (a channel to the hypervisor that bypasses firewalls) and io_uring.
 */

/** Name → its condition on arguments; all others are refused. */
type Rule = {
  names: string[];
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  args?: { index: number; value: number; valueTwo?: number; op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ' }[];
  errnoRet?: number;
};

const files = `
  access arm_fadvise64_64 arm_sync_file_range chdir chmod chown chown32 close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
  fadvise64_64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fdatasync fgetxattr
  flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futimesat
  getcwd getdents getdents64 getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl
  lchown lchown32 lgetxattr link linkat listxattr listxattrat llistxattr _llseek lremovexattr lseek lsetxattr lstat
  lstat64 mkdir mkdirat mknod mknodat newfstatat oldfstat oldlstat oldstat open openat openat2 pread64 preadv preadv2
  pwrite64 pwritev pwritev2 read readahead readdir readlink readlinkat readv removexattr removexattrat rename renameat
  renameat2 rmdir sendfile sendfile64 setxattr setxattrat splice stat stat64 statfs statfs64 statx symlink symlinkat sync
  sync_file_range sync_file_range2 syncfs tee truncate truncate64 umask unlink unlinkat utime utimensat
  utimensat_time64 utimes vmsplice write writev`;

const memory = `
  brk cachestat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall mmap mmap2
  mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages`;

const processes = `
  alarm arch_prctl capget capset execve execveat exit exit_group fork getcpu getegid getegid32 geteuid geteuid32 getgid
  getgid32 getgroups getgroups32 getpgid getpgrp getpid getppid getpriority getresgid getresgid32 getresuid
  getresuid32 getrlimit get_robust_list getrusage getsid gettid get_thread_area getuid getuid32 ioprio_get ioprio_set
  kill landlock_add_rule landlock_create_ruleset landlock_restrict_self nice pause pidfd_open pidfd_send_signal prctl
  prlimit64 process_mrelease ptrace restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
  rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_getaffinity sched_getattr
  sched_getparam sched_get_priority_max sched_get_priority_min sched_getscheduler sched_rr_get_interval
  sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
  setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setpgid setpriority setregid setregid32
  setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit set_robust_list setsid set_thread_area
  set_tid_address set_tls setuid setuid32 sigaction sigaltstack signal sigpending sigprocmask sigreturn sigsuspend
  sysinfo tgkill times tkill ugetrlimit uname vfork wait4 waitid waitpid breakpoint cacheflush uprobe
  uretprobe`;

const communication = `
  accept accept4 bind connect epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
  epoll_wait_old eventfd eventfd2 futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake getpeername
  getsockname getsockopt io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit ipc
  listen mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64
  mq_unlink msgctl msgget msgrcv msgsnd _newselect pipe pipe2 poll ppoll ppoll_time64 pselect6 pselect6_time64 recv
  recvfrom recvmmsg recvmmsg_time64 recvmsg select semctl semget semop semtimedop semtimedop_time64 send sendmmsg
  sendmsg sendto setsockopt shmat shmctl shmdt shmget shutdown signalfd signalfd4 socketpair`;

const time = `
  adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep
  clock_nanosleep_time64 getitimer getrandom gettimeofday nanosleep setitimer time timer_create timer_delete
  timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime
  timerfd_gettime64 timerfd_settime timerfd_settime64`;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Workloads do not need the others, which had many kernel vulnerabilities. */
const addressFamilies = [1, 2, 10, 16];

/**
 * The personalities of Linux programs, and the query for the current one. The other personalities turn off memory
 * protections.
 */
const personalities = [0x0, 0x0008, 0x20000, 0x20008, 0xffffffff];

/** CLONE_NEW…: namespaces. */
const namespaceFlags = 0x7e020000;

/**
 * "Function not implemented": a program that calls clone3, whose flags are in memory, then falls back to clone. The
 * same applies to `socketcall`, the single socket call of 32-bit programs. It must be listed explicitly, because
 * libseccomp (2.5.4) derives a rule from `socket` that allows it for all address families.
 */
const ENOSYS = 38;

const allow = 'SCMP_ACT_ALLOW';

const commonRules: Rule[] = [
  { names: [files, memory, processes, communication, time].flatMap(words), action: allow },
  ...addressFamilies.map((family) => when('socket', { index: 0, value: family, op: 'SCMP_CMP_EQ' })),
  ...personalities.map((persona) => when('personality', { index: 0, value: persona, op: 'SCMP_CMP_EQ' })),
  { names: ['clone3', 'socketcall'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
];

const fcntl = ['fcntl', 'fcntl64'];

/** Linux-specific commands of fcntl start at 1024. Lower ones are POSIX. */
const ownCommands = 1024;

/**
 * F_SETLEASE (1024) is missing: a lease on a file delays other processes that open it by 45 s, and builders share the files
 * of base images. The rest: notes, dup, pipe sizes, seals, write hints.
 */
const commandsInBuilds = [1025, 1026, 1027, 1028, 1030, 1031, 1032, 1033, 1034, 1035, 1036, 1037, 1038, 1039, 1040];

/** The kernel reads the lower half of a command. */
const lowerHalf = 0xffffffff;

function fcntlInBuilds(): Rule[] {
  const matching = (value: number, valueTwo: number) =>
    fcntl.map((name) => when(name, { index: 1, value, valueTwo, op: 'SCMP_CMP_MASKED_EQ' }));
  return [matching(ownCommands, 0), ...commandsInBuilds.map((command) => matching(lowerHalf, command))].flat();
}

const withoutNamespaces = when('clone', { index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });

/** The calls that an image build needs to run each step with its own root file system in a user namespace (buildah). */
const forBuilds: Rule = {
  names: words('clone unshare setns mount umount umount2 pivot_root chroot sethostname'),
  action: allow,
};

/**
 * Architectures by Go's name: the name that the engine uses, and the older architectures whose programs it also runs.
 */
const architectures: Record<string, { architecture: string; subArchitectures: string[] }> = {
  amd64: { architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86'] },
  arm64: { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: ['SCMP_ARCH_ARM'] },
};

/**
 * The seccomp profile in Docker's format. `buildsImages`: the container may also create user and mount namespaces.
 * Returns undefined for an architecture whose system calls are not listed here; Docker then uses its default profile.
 */
export function seccompProfile(architecture: string, buildsImages = false): string | undefined {
  const known = architectures[architecture];
  if (!known) return undefined;
  const more = buildsImages ? [forBuilds, ...fcntlInBuilds()] : [withoutNamespaces, { names: fcntl, action: allow }];
  const syscalls = [...commonRules, ...more];
  return JSON.stringify({ defaultAction: 'SCMP_ACT_ERRNO', archMap: [known], syscalls });
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function when(name: string, condition: NonNullable<Rule['args']>[number]): Rule {
  return { names: [name], action: allow, args: [condition] };
}
