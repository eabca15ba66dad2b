//! The policy as data: system calls, grouped by purpose.
//!
//! Allowed are the calls that Python programs make on their own files, memory, processes and time. Excluded are calls
//! that inspect other processes (`ptrace`, `process_vm_*`, `pidfd_getfd`, `kcmp`), load code into the kernel or trace
//! it (`bpf`, `init_module`, `kexec_*`, `perf_event_open`), create what outlives a run (`shmget`, `semget`, `msgget`,
//! `mq_*`, `keyctl`, `add_key`, `request_key`), circumvent the view of files (`open_by_handle_at`, `mount` and its
//! family, `chroot`, `pivot_root`, `setns`), change the machine (`reboot`, `swapon`, `acct`, `settimeofday`,
//! `sethostname`), or have had more vulnerabilities than uses here (`io_uring_*`, `userfaultfd`, `clone3`, `vmsplice`,
//! `modify_ldt`).

#![cfg_attr(
    not(test),
    expect(clippy::wildcard_imports, reason = "all that is used of it are the names in these lists")
)]

use libc::*;

/// System calls that are allowed on every architecture.
#[rustfmt::skip]
pub(super) const ALLOWED: &[i64] = &[
    // Reading and writing open files.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
    SYS_pwritev2, SYS_lseek, SYS_sendfile, SYS_splice, SYS_tee, SYS_copy_file_range, SYS_fsync, SYS_fdatasync,
    SYS_sync_file_range, SYS_fadvise64, SYS_readahead, SYS_fallocate, SYS_ftruncate, SYS_truncate, SYS_flock,
    // Descriptors. `ioctl` may not type into a terminal (see `lock`).
    SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_fcntl, SYS_ioctl, SYS_pipe2, SYS_eventfd2, SYS_signalfd4,
    SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_memfd_create, SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_ppoll, SYS_pselect6, SYS_inotify_init1, SYS_inotify_add_watch,
    SYS_inotify_rm_watch,
    // Paths: the view and Landlock restrict what they reach.
    SYS_openat, SYS_openat2, SYS_newfstatat, SYS_fstat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat,
    SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_mkdirat, SYS_unlinkat,
    SYS_renameat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_fchmod, SYS_fchmodat, SYS_fchown,
    SYS_fchownat, SYS_utimensat, SYS_umask, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr,
    SYS_llistxattr, SYS_flistxattr, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
    SYS_fremovexattr,
    // The process's own memory.
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_msync, SYS_mincore, SYS_mlock,
    SYS_mlock2, SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_membarrier, SYS_get_mempolicy, SYS_set_mempolicy,
    SYS_mbind, SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect,
    // Processes and threads; `clone` without new namespaces (see `allow_list`).
    SYS_clone, SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_getpid, SYS_getppid,
    SYS_gettid, SYS_getpgid, SYS_setpgid, SYS_getsid, SYS_setsid, SYS_set_tid_address, SYS_futex, SYS_set_robust_list,
    SYS_get_robust_list, SYS_rseq, SYS_prctl, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam, SYS_sched_setparam, SYS_sched_getscheduler,
    SYS_sched_setscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_rr_get_interval,
    SYS_sched_getattr, SYS_getpriority, SYS_setpriority, SYS_ioprio_get, SYS_getcpu, SYS_personality,
    // Signals: the pid namespace and Landlock restrict the recipients.
    SYS_kill, SYS_tgkill, SYS_tkill, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigpending, SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend, SYS_rt_sigreturn, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_sigaltstack,
    SYS_restart_syscall,
    // Time.
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times,
    SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun,
    SYS_timer_delete,
    // Identity and resources. Changing to another user fails, because the namespace has no other.
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_setuid,
    SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid,
    SYS_capget, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_getrlimit, SYS_setrlimit, SYS_prlimit64, SYS_getrandom,
    // Sockets of the families in `SOCKET_FAMILIES`: in the network namespace they reach nobody.
    SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect, SYS_getsockname,
    SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_shutdown, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
    SYS_sendmmsg, SYS_recvmmsg,
    // A program may confine itself further.
    SYS_seccomp, SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
];

/// Allowed older variants of the calls above, which newer architectures never had.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
pub(super) const LEGACY: &[i64] = &[
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename,
    SYS_link, SYS_symlink, SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
    SYS_getdents, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd,
    SYS_signalfd, SYS_inotify_init, SYS_fork, SYS_vfork, SYS_getpgrp, SYS_pause, SYS_alarm, SYS_time, SYS_arch_prctl,
];
/// Newer architectures have no older variants.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const LEGACY: &[i64] = &[];

/// System calls that a worker needs to set up the sandbox, and that are forbidden afterwards, as is `unshare`.
pub(super) const SET_UP: &[i64] = &[SYS_mount, SYS_umount2, SYS_capset];

/// Flags of `clone` that create namespaces.
pub(super) const CLONE_NAMESPACES: u64 =
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET) as u32
        as u64;

/// Allowed socket families. Others (netlink, raw packets, Bluetooth, virtual machines) reach the kernel or hardware.
pub(super) const SOCKET_FAMILIES: [u64; 3] = [AF_UNIX as u64, AF_INET as u64, AF_INET6 as u64];

/// `ioctl` requests that put characters into a terminal's input.
pub(super) const TERMINAL_INPUT: [u64; 2] = [TIOCSTI, TIOCLINUX];
