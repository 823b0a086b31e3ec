//! Services and networks outside.

use super::{Probe, probe};

pub(super) const LIST: &[Probe] = &[
    probe("connect to a socket outside", "probe unix:$SOCKETS/plain"),
    probe("connect to a socket in a hidden folder", "probe unix:$OUT/hidden/socket"),
    probe("connect to a socket that was renamed", "probe unix:$SOCKETS/renamed"),
    probe("connect to a socket that was moved to another folder", "probe unix:$SOCKETS/deep/moved"),
    probe("connect to a socket by its second name", "probe unix:$SOCKETS/deep/linked"),
    probe("connect to a socket through a link", "ln -s $SOCKETS/plain own; probe unix:own"),
    probe("connect to a socket by a relative path", "probe unix:../outside/sockets/plain"),
    probe("connect to a socket through /proc/self/root", "probe unix:/proc/self/root$SOCKETS/plain"),
    probe("connect to a socket of a service in the root", "probe unix:service"),
    probe("link a socket into the root and connect to it", "ln $SOCKETS/plain own && probe unix:own"),
    probe("send to a socket outside", "probe dgram:$SOCKETS/datagram"),
    probe("send to a socket outside that was renamed", "probe dgram:$SOCKETS/deep/datagram"),
    probe("connect to an abstract socket", "probe abstract:$ABSTRACT"),
    probe("connect to this machine over the network", "probe tcp:127.0.0.1:$PORT"),
    probe("connect to this machine by another address of it", "probe tcp:127.0.0.2:$PORT2"),
    probe("send to this machine over the network", "probe udp:127.0.0.1:$UDP"),
    probe("make a socket of a virtual machine", "probe vsock").by_machine(),
    probe("make a socket that sees the network", "probe family:17:3").by_machine(),
    probe("make a raw socket", "probe family:2:3").by_machine(),
    probe("ask the machine's bus", "probe unix:/run/dbus/system_bus_socket").by_machine(),
    probe("ask the machine's containers", "probe unix:/var/run/docker.sock").by_machine(),
    probe("ask the system's services", "probe unix:/run/systemd/private").by_machine(),
    probe("write to the system's log", "probe dgram:/dev/log").by_machine(),
    probe("ask the user's services", "probe unix:/run/user/$(id -u)/bus").by_machine(),
    probe("find a socket in /run", "find /run /var/run/ -type s | grep .").by_machine(),
];
