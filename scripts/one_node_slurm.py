"""A real Slurm of one node (Debian: slurmctld slurmd slurm-client munge) in a folder of its own, for scripts/slurm_check.

Nothing of it is left outside of the folder: own key, sockets, ports and state; no systemd, no cgroups, so a container will do. It runs as
the user that starts it; root may run jobs as root."""
import getpass
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import time

CONFIGURATION = """ClusterName=check
SlurmctldHost={host}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=200
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
KillWait=2
InactiveLimit=0
NodeName={node} NodeAddr=127.0.0.1 CPUs={processors} RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")


def missing():
    """The programs that are not installed."""
    return [name for name in PROGRAMS if find(name) is None]


def find(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class OneNodeSlurm:
    """Use with `with`. `environment`: for commands of this Slurm."""

    def __init__(self, folder, processors=4):
        self.folder, self.processes = pathlib.Path(folder), []
        self.folder.mkdir(mode=0o755)
        for name in ("state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        self.node = socket.gethostname().split(".")[0]
        controller_port, node_port = free_ports(2)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(host=f"{self.node}(127.0.0.1)", user=getpass.getuser(), folder=self.folder, node=self.node,
                                                      controller_port=controller_port, node_port=node_port, processors=processors), encoding="ascii")
        self.environment = {**os.environ, "SLURM_CONF": str(configuration)}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                    f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed", "--num-threads=2")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged has no socket")
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D", "-N", self.node)
        self.wait(lambda: "idle" in self.command("sinfo", "--noheader", "--format=%T").stdout, "the node does not become idle")

    def daemon(self, name, *arguments):
        with open(self.folder / f"{name}.out", "wb") as out:
            self.processes.append(subprocess.Popen([find(name), *arguments], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out,
                                                   stderr=subprocess.STDOUT))

    def wait(self, condition, problem, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or any(process.poll() is not None for process in self.processes):
                said = "".join(f"\n{path.name}: " + "\n    ".join(path.read_text(errors="replace").splitlines()[-5:])
                               for path in sorted(self.folder.glob("*.out")) + sorted(self.folder.glob("*.log")))
                raise RuntimeError(f"Slurm does not start: {problem}{said}")
            time.sleep(0.1)

    def command(self, *words):
        return subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def stop(self):
        """Ends jobs, then what start() has started, and nothing else."""
        if len(self.processes) == 3:
            self.command("scancel", f"--user={getpass.getuser()}")
            end = time.monotonic() + 10
            while self.command("squeue", "--noheader").stdout.strip() and time.monotonic() < end:
                time.sleep(0.2)
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()
